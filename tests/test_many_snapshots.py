"""A volume that is backed up every hour has a day's snapshots, which must not slow its applications down."""

import pytest

pytestmark = [pytest.mark.control_operations, pytest.mark.slow]


def test_volume_with_many_snapshots_keeps_its_speed(many_snapshots, snapshots_limit, accept):
    """Volumes with and without many snapshots are loaded alternately; writes with snapshots are as fast as required."""
    accept(many_snapshots.against(snapshots_limit))
