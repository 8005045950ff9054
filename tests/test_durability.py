"""What storage has acknowledged as durable must be there, and whole, after whoever wrote it was killed."""

import pytest

pytestmark = [pytest.mark.durability]


@pytest.mark.crash("pod-killed")
def test_acknowledged_records_survive_a_killed_pod(crashed, accept):
    """The writing pod is killed without grace; a new pod on the same node finds every acknowledged record."""
    accept(crashed())


@pytest.mark.crash("pod-killed-and-moved")
def test_acknowledged_records_survive_a_killed_pod_on_another_node(crashed, accept):
    """The writing pod is killed without grace; a pod on another node finds every acknowledged record."""
    accept(crashed())


@pytest.mark.crash("node-failed")
@pytest.mark.destructive
@pytest.mark.slow
def test_acknowledged_records_survive_a_failed_node(crashed, accept):
    """The writing node fails and comes back; a pod there finds every acknowledged record."""
    accept(crashed())
