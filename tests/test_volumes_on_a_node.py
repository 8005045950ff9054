"""Volumes on a node: mount options, group, the kubelet's volume stats, the largest number, topology, and subPath."""

import pytest

from acceptance.trials.features.group_policy import try_group_policy
from acceptance.trials.features.mount_options import try_mount_options
from acceptance.trials.features.node_limit import try_node_limit
from acceptance.trials.features.statistics import try_statistics
from acceptance.trials.features.sub_path import try_sub_path
from acceptance.trials.features.topology import try_topology

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("mount-options")
def test_mount_options_reach_the_mount(show_capability):
    """The pod sees the mount options of its PV and class; a pod whose PV has an unknown option does not start."""
    show_capability(try_mount_options)


@pytest.mark.capability("fs-group-change-policy")
def test_fs_group_change_policy_is_followed(show_capability):
    """Policy Always changes the group of all files; OnRootMismatch only if the root folder has another group."""
    show_capability(try_group_policy)


@pytest.mark.capability("volume-stats")
def test_kubelet_reports_volume_stats(show_capability):
    """Capacity, used and available bytes from the kubelet are those that the pod sees, within 2 % of the capacity."""
    show_capability(try_statistics)


@pytest.mark.capability("node-limit")
def test_node_attaches_as_many_volumes_as_its_driver_reports(show_capability):
    """A node takes as many volumes as CSINode reports; a pod with one more volume waits until others are deleted."""
    show_capability(try_node_limit)


@pytest.mark.capability("topology")
def test_volumes_are_placed_in_the_allowed_topologies(show_capability):
    """A pod gets a volume on a node that allowedTopologies of the class allow; a pod that must run elsewhere waits."""
    show_capability(try_topology)


@pytest.mark.capability("sub-path")
def test_pod_mounts_a_sub_path(show_capability):
    """With subPath, a pod sees only that folder, which is created if it is missing; read-only mounts refuse writes."""
    show_capability(try_sub_path)
