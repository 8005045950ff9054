"""Looks that share most of their seconds keep the budget of all of them, and are surer of nothing than they must be."""

from __future__ import annotations

import math
from itertools import accumulate
from statistics import NormalDist

import numpy
import pytest

from acceptance.statistics.overlapping_looks import chance_of_any, even_chance

LOOKS = (60, 80, 110, 140, 180, 230, 300)
RUNS = 400_000


def wrong_at_any(seconds: tuple[int, ...], *, beyond: float) -> float:
    """How often the mean of a load that is looked at after so many seconds is so far off at one of the looks."""
    random, before = numpy.random.default_rng(7), 0
    parts = []
    for duration in seconds:
        parts.append(random.standard_normal(RUNS) * math.sqrt(duration - before))
        before = duration
    sums = accumulate(parts)
    return float(numpy.any([one > beyond * math.sqrt(each) for one, each in zip(sums, seconds, strict=True)], 0).mean())


@pytest.mark.parametrize("seconds", [LOOKS, LOOKS[:2], (60, 300), tuple(range(60, 310, 10))])
@pytest.mark.parametrize("budget", [0.007, 0.05])
def test_all_looks_together_are_no_more_often_wrong_than_the_budget_says(
    seconds: tuple[int, ...], budget: float
) -> None:
    each = even_chance(seconds, budget=budget)
    assert budget / len(seconds) < each < budget
    found = wrong_at_any(seconds, beyond=NormalDist().inv_cdf(1 - each))
    # Three standard errors of so many runs; and it is a bound for many looks, near the truth for few.
    assert found <= budget + 3 * math.sqrt(budget / RUNS)
    assert len(seconds) > 2 or found >= budget - 3 * math.sqrt(budget / RUNS)


def test_looks_that_share_nothing_split_the_budget_and_one_has_all_of_it() -> None:
    assert even_chance((60,), budget=0.007) == pytest.approx(0.007)
    assert even_chance((1, 10**9), budget=0.007) == pytest.approx(0.0035, rel=0.01)


def test_the_chance_of_two_is_that_of_a_bivariate_normal_distribution() -> None:
    """P(X > 2) is 0.02275; of both with a correlation of a half, 0.0040529 (its density, summed)."""
    assert chance_of_any((1, 4), beyond=2.0) == pytest.approx(2 * 0.0227501 - 0.0040529, abs=1e-6)


@pytest.mark.parametrize(("seconds", "budget"), [((), 0.01), (LOOKS, 0.0), (LOOKS, 0.5)])
def test_no_looks_and_no_budget_are_refused(seconds: tuple[int, ...], budget: float) -> None:
    with pytest.raises(ValueError, match="expected looks"):
        even_chance(seconds, budget=budget)
