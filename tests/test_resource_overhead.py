"""The resource overhead of a StorageClass: CPU and memory of the storage's own pods under load, and their leaks."""

import pytest

pytestmark = [pytest.mark.price, pytest.mark.slow]


def test_resource_overhead_is_within_limits(resource_overhead, price_limit, accept):
    """Under load the storage's pods use no more than the tier allows, do not leak, and do not restart."""
    accept(resource_overhead.against(price_limit))
