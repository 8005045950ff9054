"""When a node is lost, its volumes must be in use on another one soon, with all that was acknowledged."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.destructive, pytest.mark.slow]


def test_failover_is_in_time(failed_over, failover_limit, accept):
    """From the last durable write on a node that fails to the first on another passes no more than the tier allows."""
    accept(failed_over.against(failover_limit))


@pytest.mark.crash("failover")
def test_acknowledged_records_are_there_after_a_failover(crashed, accept):
    """On the node that takes over, every record is there that was acknowledged on the node that failed."""
    accept(crashed())
