"""The promises of docs/history.md, kept in simulation: nights in which nothing has changed, a fall, a slow decline."""

from __future__ import annotations

import math
import random
from datetime import timedelta
from itertools import islice

import pytest

from acceptance.judging.history.comparing import Comparison, compare
from acceptance.judging.history.verdicts import NIGHTLY_ERROR
from acceptance.results.history import TrendPoint
from acceptance.statistics.intervals import interval
from selftests.unit.history_runs import FIRST_NIGHT, limit, many_noisy, nights

WEEK, MONTH = 7, 30
LIMITS = 4  # as many as a tier of thresholds.yaml has


def compared(values: list[float], *, limits: int) -> Comparison:
    *earlier, this = nights(values)
    return compare(earlier[-MONTH:], this, limit(), error=NIGHTLY_ERROR / limits)


def is_alarm(values: list[float], *, limits: int) -> bool:
    found = compared(values, limits=limits)
    return found.regressed or found.fell


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.08])
@pytest.mark.parametrize("earlier", [WEEK, MONTH])
def test_noise_alone_is_an_alarm_in_at_most_one_night_of_a_hundred(noise: float, earlier: int) -> None:
    sequences = islice(many_noisy(earlier + 1, noise=noise, seed=6), 800)
    alarms = sum(is_alarm(values, limits=1) for values in sequences)
    assert alarms <= 0.01 * 800


@pytest.mark.parametrize("noise", [0.03, 0.08])
def test_all_limits_of_a_night_share_that_one_chance(noise: float) -> None:
    sequences = many_noisy(WEEK + 1, noise=noise, seed=11)
    found = [any(is_alarm(next(sequences), limits=LIMITS) for _ in range(LIMITS)) for _ in range(500)]
    assert sum(found) <= 0.01 * len(found)


@pytest.mark.parametrize(
    ("noise", "earlier", "at_once", "in_three_nights"),
    [(0.02, WEEK, 0.99, 1.0), (0.03, WEEK, 0.85, 0.98), (0.03, MONTH, 0.99, 1.0), (0.05, MONTH, 0.7, 0.95)],
)
def test_a_fall_of_20_percent_is_caught(noise: float, earlier: int, at_once: float, in_three_nights: float) -> None:
    found = []
    for values in islice(many_noisy(earlier + 3, noise=noise, seed=3, fall_at=earlier), 200):
        found.append([is_alarm(values[: earlier + night], limits=LIMITS) for night in (1, 2, 3)])
    assert sum(first for first, *_ in found) >= at_once * len(found)
    assert sum(any(each) for each in found) >= in_three_nights * len(found)


def test_a_fall_that_stays_is_an_alarm_every_night_and_not_only_in_the_first() -> None:
    """The runs that have fallen soon are among those before; since when is still seen."""
    for values in islice(many_noisy(MONTH + 10, noise=0.03, seed=4, fall_at=MONTH), 50):
        for night in range(1, 11):
            found = compared(values[: MONTH + night], limits=LIMITS)
            assert found.regressed or found.fell
        assert found.change_point is not None
        assert (found.change_point.run, found.change_point.after) == (f"run-{MONTH}", 10)
        assert found.change_point.change == pytest.approx(-0.2, abs=0.05)


def test_a_decline_of_1_percent_a_night_is_caught_although_no_night_is_10_percent_below_its_week() -> None:
    caught = by_itself = 0
    for values in islice(many_noisy(MONTH, noise=0.03, seed=5), 100):
        declining = [value * 0.99**night for night, value in enumerate(values)]
        found = compared(declining, limits=LIMITS)
        caught += found.fell
        by_itself += found.regressed
    assert (caught, by_itself) == (100, 0)


def measured(mean: float, night: int, source: random.Random) -> TrendPoint:
    """A night's mean as four noisy batches show it, with their interval."""
    found = interval([mean * math.exp(source.gauss(0.0, 0.04)) for _ in range(4)], confidence=0.95)
    at = FIRST_NIGHT + timedelta(days=night)
    return TrendPoint(run=f"run-{night}", date=at, mean=found.mean, low=found.low, high=found.high)


def test_what_runs_know_of_their_own_noise_makes_no_alarm_and_hides_none() -> None:
    """Nights differ by 2 %, and each is known to 2 %, from four batches: 3 % in all."""
    source = random.Random(8)
    alarms = caught = 0
    for values in islice(many_noisy(MONTH + 1, noise=0.02, seed=8), 300):
        *earlier, this = (measured(value, night, source) for night, value in enumerate(values))
        fallen = measured(values[-1] * 0.8, MONTH, source)
        error = NIGHTLY_ERROR / LIMITS
        alarms += compare(earlier, this, limit(), error=error).regressed
        caught += compare(earlier, fallen, limit(), error=error).regressed
    assert alarms <= 0.01 * 300
    assert caught >= 0.95 * 300


def test_nights_that_resemble_each_other_cost_a_little_more() -> None:
    """With a correlation of 0.3 from night to night, and only where noise is as large as the margin."""
    rates = {}
    for noise in (0.03, 0.08):
        sequences = many_noisy(MONTH + 1, noise=noise, seed=7, alike=0.3)
        rates[noise] = sum(is_alarm(next(sequences), limits=1) for _ in range(500)) / 500
    assert rates[0.03] <= 0.002
    assert rates[0.08] <= 0.03
