"""A snapshot of a volume that is written to must be of one moment, and of none before it was asked for."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features]


def test_snapshot_of_a_volume_in_use_is_of_one_moment(snapped, accept):
    """A snapshot taken while records are written holds all acknowledged before, and none later without those before."""
    accept(snapped())
