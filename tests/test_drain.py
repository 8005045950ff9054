"""When a node is drained, its volumes must soon be in use on another node, intact, and no longer on the first.

Only the suite's own pod is evicted; no node is cordoned.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.drain]


def test_drain_completes_in_time(drain, drain_limit, accept):
    """A pod is evicted; the time from its last durable write to the first on another node meets the limit."""
    accept(drain.against(drain_limit))


@pytest.mark.crash("drained")
def test_acknowledged_records_survive_a_drain(crash, accept):
    """A pod is evicted; a new pod on another node finds every record that was acknowledged before."""
    accept(crash())


def test_volume_is_detached_from_a_drained_node(left_behind, accept):
    """After an eviction, the cluster no longer shows the volume as attached to the old node, or in use there."""
    accept(left_behind())
