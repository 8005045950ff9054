"""Upgrades and crashes restart kubelets: volumes must stay usable, and leave nothing behind on a node."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.kubelet, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.crash("kubelet-restarted")
def test_acknowledged_records_survive_a_restarted_kubelet(crash, accept):
    """A kubelet is restarted while a pod writes; a new pod then finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("kubelet-away")
def test_volume_of_a_pod_deleted_during_a_kubelet_outage_is_usable_elsewhere(crash, accept):
    """A pod is deleted while its kubelet is stopped; then a pod on another node finds every acknowledged record."""
    accept(crash())


def test_volume_is_detached_after_a_kubelet_outage(left_by_kubelet, accept):
    """After a kubelet outage, the volume is neither attached to the old node nor mounted there (mounts are checked only
    if the target file has the command `mounted`).
    """
    accept(left_by_kubelet())
