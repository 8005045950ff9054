"""A lost replica must be rebuilt in time, and the volume must stay usable meanwhile."""

import pytest

pytestmark = [pytest.mark.rebuild, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.rebuilding("largest_volume")
def test_replica_is_rebuilt_in_time(rebuild, rebuild_limit, accept):
    """A replica is rebuilt; at that rate, a replica of the size that the tier requires is complete in time."""
    accept(rebuild.against(rebuild_limit))


@pytest.mark.rebuilding("foreground_iops", "foreground_p99")
def test_volume_stays_usable_during_the_rebuild(rebuild, rebuild_limit, accept):
    """While a replica is rebuilt, synchronous writes are as fast as the tier requires."""
    accept(rebuild.against(rebuild_limit))


@pytest.mark.rebuilding()
def test_rebuild_is_measured(rebuild, rebuild_limit, accept):
    """A data pattern without limits in the tier is measured; its figures are only shown."""
    accept(rebuild.against(rebuild_limit))
