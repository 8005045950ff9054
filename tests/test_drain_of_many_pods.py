"""When a node with many pods is drained, all volumes must soon be in use on other nodes, intact.

Only the suite's own pods are evicted; no node is cordoned.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.drain, pytest.mark.slow]


def test_acknowledged_records_survive_a_drain_of_many_pods(drained_volumes):
    """Several pods are evicted together; new pods on other nodes find every record that was acknowledged before."""
    drained_volumes()


def test_drain_of_many_pods_completes_in_time(drain_of_many, drain_of_many_limit, accept):
    """Several pods are evicted together; the last of their volumes is used on another node within the limit."""
    accept(drain_of_many.against(drain_of_many_limit))
