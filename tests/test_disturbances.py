"""Networks, backends and nodes are away for a while: pods must continue afterwards, with all acknowledged data."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.disturb, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.crash("storage-interrupted")
def test_acknowledged_records_survive_interrupted_storage(crash, accept):
    """The storage is interrupted and restored while a pod writes; then another pod finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("storage-interrupted")
def test_volume_is_writable_again_after_interrupted_storage(writable_again):
    """Once the storage is restored, the pod that wrote before can write again, without being deleted."""
    writable_again()


@pytest.mark.crash("storage-interrupted")
def test_volume_is_detached_after_interrupted_storage(left_by_disturbance, accept):
    """After an interruption, a deleted pod's volume is neither attached to its node nor mounted there."""
    accept(left_by_disturbance())


@pytest.mark.crash("nodes-restarted")
def test_acknowledged_records_survive_restarted_nodes(crash, accept):
    """All nodes are restarted in turn, that of the writing pod last; then a pod finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("nodes-restarted")
def test_volume_is_writable_while_nodes_are_restarted(writable_again):
    """Other nodes are restarted in turn; after each, the pod that wrote before can write, without being deleted."""
    writable_again()


@pytest.mark.crash("nodes-restarted-together")
def test_acknowledged_records_survive_a_joint_restart_of_nodes(crash, accept):
    """Several nodes are down together and come back; then a pod finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("node-shut-down")
def test_acknowledged_records_survive_a_shut_down_node(crash, accept):
    """A node is shut down in order; a pod on another node finds every record that was acknowledged before."""
    accept(crash())


@pytest.mark.crash("node-shut-down")
def test_volume_is_detached_from_a_shut_down_node(left_by_disturbance, accept):
    """Once the node is back, the volume that moved is neither attached to it nor mounted there."""
    accept(left_by_disturbance())


@pytest.mark.crash("node-cut-off")
def test_acknowledged_records_survive_a_node_that_was_cut_off(crash, accept):
    """A node is cut off and rejoins; every record that its pod was told is durable, before or after, is found."""
    accept(crash())


def test_records_of_the_successor_survive_the_return_of_a_node(kept_by_successor, accept):
    """When a node that was cut off rejoins, it destroys no record of the pod that took over its volume."""
    accept(kept_by_successor())


@pytest.mark.crash("node-cut-off")
def test_volume_is_detached_from_a_node_that_was_cut_off(left_by_disturbance, accept):
    """Once the node has rejoined, the volume that moved is neither attached to it nor mounted there."""
    accept(left_by_disturbance())


def test_disturbed_storage_is_writable_in_time(disturbed, disturbances_limit, accept):
    """After a disturbance, the time until the volume is written again meets the limit."""
    accept(disturbed.against(disturbances_limit))
