"""A StorageClass and its cluster must bear many volumes at once, and let them go again."""

import pytest

pytestmark = [pytest.mark.control_plane, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.ramping("pods")
def test_required_number_of_pods_runs(ramped, control_plane_limit, accept):
    """At a steady rate, as many pods with a volume each start as the tier requires, before anything gives way."""
    accept(ramped.against(control_plane_limit))


@pytest.mark.ramping("ramp-down")
def test_all_volumes_are_gone_in_time(ramped, control_plane_limit, accept):
    """When the pods are deleted, at twice the rate, their PVCs and PVs are gone soon after the last one."""
    accept(ramped.against(control_plane_limit))
