"""Control operations must be fast and reliable, also when many are requested at the same time."""

import pytest

pytestmark = [pytest.mark.control_operations, pytest.mark.slow]


@pytest.mark.operating("times")
def test_concurrent_operations_complete_in_time(operations, operation_limit, accept):
    """Many operations are requested at the same time; each ends (PVC bound, pod ready, copy made) in time."""
    accept(operations.against(operation_limit))


@pytest.mark.operating("failures")
def test_concurrent_operations_succeed(operations, operation_limit, accept):
    """Many operations are requested at the same time; no more of them fail than the tier allows."""
    accept(operations.against(operation_limit))
