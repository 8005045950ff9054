"""Latency must hold under load: most storage is fast when it is idle."""

import pytest

pytestmark = [pytest.mark.under_load, pytest.mark.slow]


def test_latency_holds_at_partial_load(under_load, under_load_limit, accept):
    """A volume is loaded at a share of its capacity; the volume keeps this rate, and its latency meets the limit."""
    accept(under_load.against(under_load_limit))


@pytest.mark.scale
def test_volume_keeps_its_share_next_to_noisy_neighbors(beside_neighbours, neighbour_limit, accept):
    """Other volumes of the class are loaded at full speed; a volume keeps its rate, and its latency meets the limit."""
    accept(beside_neighbours.against(neighbour_limit))
