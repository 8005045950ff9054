"""Operations must be quick also while a volume is busy: most storage is when it has little to do."""

import pytest

pytestmark = [pytest.mark.under_load, pytest.mark.slow]


def test_latency_holds_at_a_share_of_the_capacity(under_load, under_load_limit, accept):
    """At the share of what the volume can do that the tier names, the rate is kept and operations are quick enough."""
    accept(under_load.against(under_load_limit))


@pytest.mark.scale
def test_noisy_neighbours_leave_a_volume_its_share(beside_neighbours, neighbour_limit, accept):
    """A volume keeps its rate, and is quick enough, while others of its class load as fast as they can."""
    accept(beside_neighbours.against(neighbour_limit))
