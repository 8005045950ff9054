"""A StorageClass must be as fast at the end of a long load as workloads need all day, not only until a burst ends."""

import pytest

pytestmark = [pytest.mark.sustained, pytest.mark.slow]


def test_speed_lasts(sustained, sustained_limit, accept):
    """At the end of a long load without a pause the class is steady, and still as fast as the tier requires."""
    accept(sustained.against(sustained_limit))
