"""A snapshot of a volume in use must be crash-consistent, and not older than the request for it."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features]


def test_snapshot_of_a_volume_in_use_is_crash_consistent(snapshot_in_use, accept):
    """A snapshot is taken while records are written; it has all acknowledged before, and none after a gap."""
    accept(snapshot_in_use())


def test_group_snapshot_of_two_volumes_is_crash_consistent(snapped_group, accept):
    """A group snapshot is taken of two volumes that are written in turn; it is crash-consistent across both."""
    accept(snapped_group())
