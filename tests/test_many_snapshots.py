"""A volume that is backed up every hour has a day's snapshots, and its applications must not pay for them."""

import pytest

pytestmark = [pytest.mark.control_operations, pytest.mark.slow]


def test_volume_with_many_snapshots_is_as_fast(many_snapshots, snapshots_limit, accept):
    """Loaded in turn with a volume without snapshots, one with many keeps what the tier asks of its writes."""
    accept(many_snapshots.against(snapshots_limit))
