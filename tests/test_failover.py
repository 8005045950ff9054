"""When a node is lost, its volumes must soon be in use on another node, with all acknowledged data."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.destructive, pytest.mark.slow]


def test_failover_completes_in_time(failed_over, failover_limit, accept):
    """A node fails; the time from the last durable write on it to the first on another node meets the limit."""
    accept(failed_over.against(failover_limit))


@pytest.mark.crash("failover")
def test_acknowledged_records_survive_a_failover(crash, accept):
    """After a node has failed, a pod on another node finds every record that was acknowledged on the failed node."""
    accept(crash())
