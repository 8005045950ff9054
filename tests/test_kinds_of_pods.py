"""Volumes in a rolling update, in pods with a user namespace of their own, and in pods with SELinux levels."""

import pytest

from acceptance.trials.features.rolling_update import try_rolling_update
from acceptance.trials.features.selinux import try_selinux_levels
from acceptance.trials.features.user_namespaces import try_user_namespaces

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("rolling-update")
def test_new_pod_takes_over_a_volume_on_its_node(show_capability):
    """A second pod on the node uses a ReadWriteOnce volume while the first runs, and continues after the first."""
    show_capability(try_rolling_update)


@pytest.mark.capability("user-namespaces")
def test_pod_with_a_user_namespace_uses_a_volume(show_capability):
    """A pod with hostUsers: false reads what another pod wrote, writes to the volume, and has its fsGroup there."""
    show_capability(try_user_namespaces)


@pytest.mark.capability("selinux-levels")
def test_pods_with_different_selinux_levels_use_a_volume(show_capability):
    """A pod reads and changes a file of an earlier pod with another SELinux level."""
    show_capability(try_selinux_levels)
