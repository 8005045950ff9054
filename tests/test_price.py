"""What a StorageClass costs the cluster: CPU and memory of the storage's own pods under load, and whether they leak."""

import pytest

pytestmark = [pytest.mark.price, pytest.mark.slow]


def test_price_is_within_limits(priced, price_limit, accept):
    """Under load the storage's pods take no more than the tier allows, do not leak, and do not restart."""
    accept(priced.against(price_limit))
