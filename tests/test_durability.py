"""Data that storage has acknowledged as durable must exist, intact, after its writer was killed."""

import pytest

pytestmark = [pytest.mark.durability]


@pytest.mark.crash("pod-killed")
def test_acknowledged_records_survive_a_killed_pod(crash, accept):
    """The writing pod is killed without a grace period; a new pod on the same node finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("pod-killed-and-moved")
def test_acknowledged_records_survive_a_killed_pod_on_another_node(crash, accept):
    """The writing pod is killed without a grace period; a pod on another node finds every acknowledged record."""
    accept(crash())


@pytest.mark.crash("node-failed")
@pytest.mark.destructive
@pytest.mark.slow
def test_acknowledged_records_survive_a_failed_node(crash, accept):
    """The node of the writing pod fails and comes back; a new pod on that node finds every acknowledged record."""
    accept(crash())
