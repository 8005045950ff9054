"""When a node is drained, its volumes must soon be in use on another node, intact, and no longer on the first.

Only the suite's own pod is evicted; no node is cordoned.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.drain]


def test_drain_completes_in_time(drain, drain_limit, accept):
    """A pod is evicted; the time from its last durable write to the first on another node is within the limit."""
    accept(drain.against(drain_limit))


@pytest.mark.crash("drained")
def test_acknowledged_records_survive_a_drain(crash, accept):
    """A pod is evicted; the node that takes over has every record that was acknowledged before."""
    accept(crash())


def test_volume_is_detached_from_a_drained_node(left_behind, accept):
    """After an eviction, the cluster shows the volume neither attached to the node that it left nor in use there."""
    accept(left_behind())
