"""What a cluster asks of storage beside reads and writes must be done soon, and always, when many ask at once."""

import pytest

pytestmark = [pytest.mark.control_operations, pytest.mark.slow]


@pytest.mark.operating("times")
def test_operations_at_once_are_in_time(operated, operation_limit, accept):
    """Asked for at once, PVCs are bound, pods ready, volumes copied, grown and deleted as soon as the tier requires."""
    accept(operated.against(operation_limit))


@pytest.mark.operating("failures")
def test_operations_at_once_succeed(operated, operation_limit, accept):
    """Of all operations that were asked for at once, no more fail than the tier allows."""
    accept(operated.against(operation_limit))
