"""Volumes on a node: their mount options, their group, how full the kubelet says they are, how many there may be and
where, and their folders."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("mount-options")
def test_mount_options_reach_the_mount(show):
    """A mount option of a PV shows in the pod, as those of its class that can, and a wrong one keeps a pod from it."""
    show()


@pytest.mark.capability("group-policy")
def test_files_are_given_to_a_group_when_the_policy_says_so(show):
    """Always gives all files to the pod's group, OnRootMismatch only where the folder has another group."""
    show()


@pytest.mark.capability("statistics")
def test_the_kubelet_tells_how_full_a_volume_is(show):
    """Capacity, used and available bytes that the kubelet reports are what the pod sees, within 2 % of the capacity."""
    show()


@pytest.mark.capability("node-limit")
def test_a_node_takes_as_many_volumes_as_its_driver_says(show):
    """A node takes as many volumes as CSINode says; a pod with one more waits, and starts when they are gone."""
    show()


@pytest.mark.capability("topology")
def test_volumes_are_where_the_class_allows_them(show):
    """A pod has a volume on a node that the class's allowedTopologies allow; a pod that must run on another waits."""
    show()


@pytest.mark.capability("sub-path")
def test_a_pod_uses_a_folder_of_a_volume(show):
    """With subPath a pod sees what is in that folder, or an empty new one, and writes there, but not read-only."""
    show()
