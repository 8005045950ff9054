"""Many volumes of a StorageClass must share what the storage can do evenly, and not break it down."""

import pytest

pytestmark = [pytest.mark.scale, pytest.mark.slow]


@pytest.mark.scaling("total_at_last_step")
def test_total_holds_with_many_volumes(scaled, scaling_limit, accept):
    """Once the storage is saturated, more volumes share what it does, and the total stays."""
    accept(scaled.against(scaling_limit))


@pytest.mark.scaling("per_volume")
def test_each_volume_gets_its_share(scaled, scaling_limit, accept):
    """With that many volumes loaded at once, each of them still does what the tier requires."""
    accept(scaled.against(scaling_limit))


@pytest.mark.scaling("latency_growth")
def test_latency_grows_within_bounds(scaled, scaling_limit, accept):
    """Latency grows with the number of volumes by no more than the tier allows."""
    accept(scaled.against(scaling_limit))


@pytest.mark.scaling("rate_limited")
def test_every_volume_reaches_its_rate(scaled, scaling_limit, accept):
    """Asked together for less than the storage can do, every volume gets what it asks for."""
    accept(scaled.against(scaling_limit))


@pytest.mark.scaling("node_scaling")
def test_total_grows_with_the_nodes(scaled, scaling_limit, accept):
    """Twice as many nodes with the same load each do nearly twice as much."""
    accept(scaled.against(scaling_limit))


@pytest.mark.scaling()
def test_profile_is_measured_on_many_volumes(scaled, scaling_limit, accept):
    """A profile without scaling limits in the tier gives figures and no verdict."""
    accept(scaled.against(scaling_limit))
