"""A lost replica must be whole again soon enough, and those who use the volume meanwhile must be served."""

import pytest

pytestmark = [pytest.mark.rebuild, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.rebuilding("largest_volume")
def test_replica_is_rebuilt_in_time(rebuilt, rebuild_limit, accept):
    """In the time limit, a replica of a volume as large as the tier requires can be rebuilt."""
    accept(rebuilt.against(rebuild_limit))


@pytest.mark.rebuilding("foreground_iops", "foreground_p99")
def test_volume_stays_usable_during_the_rebuild(rebuilt, rebuild_limit, accept):
    """While a replica is rebuilt, synchronous writes go on as the tier requires."""
    accept(rebuilt.against(rebuild_limit))


@pytest.mark.rebuilding()
def test_rebuild_is_measured(rebuilt, rebuild_limit, accept):
    """A data pattern without limits in the tier gives figures and no verdict."""
    accept(rebuilt.against(rebuild_limit))
