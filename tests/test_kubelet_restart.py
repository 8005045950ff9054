"""Upgrades and crashes restart kubelets: volumes stay usable, and nothing of them stays on a node by mistake."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.kubelet, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.crash("kubelet-restarted")
def test_acknowledged_records_survive_a_restarted_kubelet(crashed, accept):
    """A pod writes on once its kubelet was restarted; a new pod then finds every acknowledged record."""
    accept(crashed())


@pytest.mark.crash("kubelet-away")
def test_volume_of_a_pod_deleted_without_its_kubelet_is_used_elsewhere(crashed, accept):
    """Once the kubelet is back, a pod on another node finds every acknowledged record."""
    accept(crashed())


def test_nothing_of_a_volume_stays_where_its_kubelet_was_away(left_by_kubelet, accept):
    """The volume is neither attached to the node that it left nor in use there, nor mounted if a command can tell."""
    accept(left_by_kubelet())
