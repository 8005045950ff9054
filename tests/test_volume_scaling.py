"""Many volumes of a StorageClass must share the storage's throughput evenly, and not make it collapse."""

import pytest

pytestmark = [pytest.mark.scale, pytest.mark.slow]


@pytest.mark.scaling("total_at_last_step")
def test_total_speed_holds_with_many_volumes(scaling, scaling_limit, accept):
    """Volumes are added until they exceed the capacity of the storage; their total throughput does not fall."""
    accept(scaling.against(scaling_limit))


@pytest.mark.scaling("per_volume")
def test_each_volume_gets_its_share(scaling, scaling_limit, accept):
    """Many volumes are loaded at the same time; each of them is still as fast as the tier requires."""
    accept(scaling.against(scaling_limit))


@pytest.mark.scaling("latency_growth")
def test_latency_growth_is_bounded(scaling, scaling_limit, accept):
    """Latency grows with the number of volumes by no more than the tier allows."""
    accept(scaling.against(scaling_limit))


@pytest.mark.scaling("rate_limited")
def test_every_volume_reaches_its_rate(scaling, scaling_limit, accept):
    """The volumes together request less than the storage can do; every volume reaches its requested rate."""
    accept(scaling.against(scaling_limit))


@pytest.mark.scaling("node_scaling")
def test_total_speed_grows_with_nodes(scaling, scaling_limit, accept):
    """Twice as many nodes, with the same load each, reach nearly twice the total."""
    accept(scaling.against(scaling_limit))


@pytest.mark.scaling()
def test_profile_is_measured_on_many_volumes(scaling, scaling_limit, accept):
    """A profile without scaling limits in the tier is measured; its figures are only shown."""
    accept(scaling.against(scaling_limit))
