"""Volumes on a node: mount options, group, the kubelet's volume stats, the largest number, topology, and subPath."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("mount-options")
def test_mount_options_reach_the_mount(show_capability):
    """The mount options of a PV and its class show in the pod; a pod whose PV has an unknown option does not start."""
    show_capability()


@pytest.mark.capability("fs-group-change-policy")
def test_fs_group_change_policy_is_followed(show_capability):
    """Policy Always gives all files to the pod's group, OnRootMismatch only if the root folder has another group."""
    show_capability()


@pytest.mark.capability("volume-stats")
def test_kubelet_reports_volume_stats(show_capability):
    """Capacity, used and available bytes that the kubelet reports are what the pod sees, within 2 % of the capacity."""
    show_capability()


@pytest.mark.capability("node-limit")
def test_node_attaches_as_many_volumes_as_its_driver_reports(show_capability):
    """A node takes as many volumes as CSINode reports; a pod with one more waits, and starts when they are deleted."""
    show_capability()


@pytest.mark.capability("topology")
def test_volumes_are_placed_in_the_allowed_topologies(show_capability):
    """A pod has a volume on a node that the class's allowedTopologies allow; a pod that must run elsewhere waits."""
    show_capability()


@pytest.mark.capability("sub-path")
def test_pod_mounts_a_sub_path(show_capability):
    """With subPath a pod sees the files of that folder, or a new empty one, and writes there unless it is read-only."""
    show_capability()
