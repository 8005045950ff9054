"""A lost node is tainted as out of service: the cluster itself must soon have its volumes in use on another node."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.out_of_service, pytest.mark.destructive, pytest.mark.slow]


def test_failover_from_an_out_of_service_node_completes_in_time(out_of_service, out_of_service_limit, accept):
    """A failed node is tainted; the time from its last durable write to the first on another node meets the limit."""
    accept(out_of_service.against(out_of_service_limit))


@pytest.mark.crash("failover-out-of-service")
def test_acknowledged_records_survive_an_out_of_service_node(crash, accept):
    """After the taint, a pod on another node finds every record that was acknowledged on the out-of-service node."""
    accept(crash())
