"""When a node is lost, its volumes must be in use on another one soon, with all that was acknowledged."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.destructive, pytest.mark.slow]


def test_failover_is_in_time(failed_over, failover_limit, accept):
    """From the last durable write on a failing node to the first on another it takes no longer than the tier allows."""
    accept(failed_over.against(failover_limit))


@pytest.mark.crash("failover")
def test_acknowledged_records_are_there_after_a_failover(crashed, accept):
    """The node that takes over has every record that was acknowledged on the failed node."""
    accept(crashed())
