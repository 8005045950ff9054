"""The capacity model: plateau, constant and what follows from them, also where there is noise or no plateau."""

from __future__ import annotations

import math
import random

import pytest

from acceptance.measuring.figures import figure
from acceptance.results.scaling import Figure
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import CONFIDENCE
from acceptance.trials.scaling.model import capacity, plateau, sure_total, volumes_at


def noisy(mean: float, *, noise: float = 0.1, seed: int = 1) -> Figure:
    source = random.Random(seed)
    return figure([mean * (1 + noise * source.gauss(0, 1)) for _ in range(10)], confidence=CONFIDENCE)


def exactly(**totals: float) -> dict[int, Figure]:
    return {int(pods[1:]): Figure(mean=each, low=None, high=None, batches=[each]) for pods, each in totals.items()}


def test_plateau_is_the_first_step_that_no_later_one_exceeds() -> None:
    assert plateau(exactly(p1=100, p3=300, p6=305, p9=302)) == 3


def test_a_slow_climb_is_no_plateau() -> None:
    """Each step grows by less than counts, but together they do."""
    assert plateau(exactly(p1=100, p2=104, p3=108, p4=112)) == 3


def test_there_is_no_plateau_while_the_last_step_still_grows() -> None:
    assert plateau(exactly(p1=100, p3=300, p6=600)) is None
    assert capacity(exactly(p1=100, p3=300, p6=600), confidence=CONFIDENCE) is None


def test_one_step_shows_no_plateau() -> None:
    assert plateau(exactly(p3=300)) is None


def test_growth_within_the_noise_is_none() -> None:
    """8 % more, but intervals of 15 % overlap; the same 8 % without noise is growth."""
    assert plateau({1: noisy(100, noise=0.15), 2: noisy(108, noise=0.15, seed=2)}) == 1
    assert plateau({1: noisy(100, noise=0.005), 2: noisy(108, noise=0.005, seed=2)}) is None


def test_capacity_is_fitted_to_the_saturated_steps_alone() -> None:
    found = capacity(exactly(p1=100, p3=300, p6=310, p9=305), confidence=CONFIDENCE)
    assert found is not None
    assert (found.plateau_pods, found.constant.mean) == (3, 305)
    assert found.constant.low is not None and found.constant.high is not None
    assert found.constant.low < 305 < found.constant.high


def test_interval_of_capacity_holds_the_truth_as_often_as_promised() -> None:
    """Five saturated steps around 1000 with 3 % between them."""
    held, runs = 0, 1000
    for seed in range(runs):
        source = random.Random(seed)
        totals = {pods: 1000 * (1 + 0.03 * source.gauss(0, 1)) for pods in (3, 6, 9, 12, 15)}
        constant = figure(list(totals.values()), confidence=CONFIDENCE, correlation=0.0)
        assert constant.low is not None and constant.high is not None
        held += constant.low <= 1000 <= constant.high
    assert held / runs >= CONFIDENCE - 0.01


def test_as_many_volumes_have_their_demand_as_fit_in_the_capacity() -> None:
    assert volumes_at(5250, demand=102) == 51
    assert volumes_at(5250, demand=6000) == 0


@pytest.mark.parametrize("demand", [0.0, -1.0, math.nan])
def test_demand_must_be_above_zero(demand: float) -> None:
    with pytest.raises(ValueError, match="demand above zero"):
        volumes_at(100, demand=demand)


def test_ratio_of_independent_means_covers_the_truth_as_often_as_promised() -> None:
    """0.8 times, with 10 % noise a batch, 6 batches each: the shortest window."""
    held, runs = 0, 2000
    for seed in range(runs):
        source = random.Random(seed)
        before = [100 * (1 + 0.1 * source.gauss(0, 1)) for _ in range(6)]
        after = [80 * (1 + 0.1 * source.gauss(0, 1)) for _ in range(6)]
        found = independent_ratio(after, before, confidence=CONFIDENCE)
        assert found is not None
        held += found.low <= 0.8 <= found.high
    assert held / runs >= CONFIDENCE


def test_ratio_of_constant_batches_is_exact() -> None:
    assert independent_ratio([50] * 3, [100] * 3, confidence=0.98) == (0.5, 0.5, 0.5)


def test_there_is_no_ratio_without_enough_batches_or_to_nothing() -> None:
    assert independent_ratio([1, 2], [1, 2, 3], confidence=0.98) is None
    assert independent_ratio([1, 2, 3], [0, 0, 0], confidence=0.98) is None


def test_what_all_surely_do_is_the_lower_end_of_what_they_do_once_they_grow_no_more() -> None:
    totals = {
        1: figure([100.0] * 8, confidence=CONFIDENCE),
        3: figure([1000.0, 1100.0, 900.0, 1000.0] * 2, confidence=CONFIDENCE),
        6: figure([1000.0] * 8, confidence=CONFIDENCE),
    }
    uneven = totals | {6: figure([500.0, 1500.0] * 4, confidence=CONFIDENCE)}
    assert 900 < sure_total(totals, batch_s=1) < 1000
    assert 500 < sure_total(uneven, batch_s=1) < 800
    assert sure_total({1: figure([100.0] * 8, confidence=CONFIDENCE)}, batch_s=1) == 100
