"""A StorageClass and its cluster must handle many volumes at the same time, and delete them again."""

import pytest

pytestmark = [pytest.mark.control_plane, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.ramping("pods")
def test_required_number_of_pods_runs(ramp, control_plane_limit, accept):
    """Pods with a volume each are created at a steady rate; as many as the tier requires run without a failure."""
    accept(ramp.against(control_plane_limit))


@pytest.mark.ramping("ramp-down")
def test_all_volumes_are_deleted_in_time(ramp, control_plane_limit, accept):
    """The pods are deleted at twice the rate; their PVCs and PVs are deleted soon after the last pod."""
    accept(ramp.against(control_plane_limit))
