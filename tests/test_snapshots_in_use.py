"""A snapshot of a volume in use must be crash-consistent, and not older than the request for it."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features]


def test_snapshot_of_a_volume_in_use_is_crash_consistent(snapshot_in_use, accept):
    """A snapshot that is taken during writes holds each record acknowledged before it, and no record without all
    earlier ones.
    """
    accept(snapshot_in_use())


def test_group_snapshot_of_two_volumes_is_crash_consistent(snapped_group, accept):
    """A group snapshot of two volumes, which are written alternately, is crash-consistent across both volumes."""
    accept(snapped_group())
