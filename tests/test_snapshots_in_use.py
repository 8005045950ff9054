"""A snapshot of a volume that is written to must be of one moment, and of none before it was asked for."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features]


def test_snapshot_of_a_volume_in_use_is_of_one_moment(snapped, accept):
    """A snapshot taken while records are written holds all acknowledged before, and none later without those before."""
    accept(snapped())


def test_group_snapshot_of_two_volumes_is_of_one_moment(snapped_group, accept):
    """A group snapshot of two volumes that are written to in turn holds the same of both together."""
    accept(snapped_group())
