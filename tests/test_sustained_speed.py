"""A StorageClass must be as fast at the end of a long load as workloads need all day, not only until a burst ends."""

import pytest

pytestmark = [pytest.mark.sustained, pytest.mark.slow]


def test_speed_is_sustained(sustained_load, sustained_limit, accept):
    """A volume is loaded for a long time without a pause; at the end, its speed is steady and meets the limit."""
    accept(sustained_load.against(sustained_limit))
