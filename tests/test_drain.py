"""When a node is drained, its volumes must be in use on another one soon, whole, and gone from the first.

Only the suite's own pod is evicted; no node is cordoned.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.drain]


def test_drain_is_in_time(drained, drain_limit, accept):
    """From the last durable write of an evicted pod to the first on another node is no longer than allowed."""
    accept(drained.against(drain_limit))


@pytest.mark.crash("drained")
def test_acknowledged_records_are_there_after_a_drain(crashed, accept):
    """The node that takes over has every record that was acknowledged before the pod was evicted."""
    accept(crashed())


def test_nothing_of_a_volume_stays_on_a_drained_node(left_behind, accept):
    """The cluster shows the volume neither attached to the node that it left nor in use there."""
    accept(left_behind())
