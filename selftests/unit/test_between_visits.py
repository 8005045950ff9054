"""The variance between visits: what it is, that all profiles of a class share it, and how far it reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.measuring.measure import BySegment
from acceptance.measuring.visits import Spread, across_visits, shown_by, spread_of, visit_figures
from acceptance.results.document import Estimate
from acceptance.results.metrics import Metric
from acceptance.statistics.between_visits import (
    LEAST,
    LEAST_DEGREES,
    SHARED_DEGREES,
    BetweenVisits,
    Visits,
    between_visits,
)
from selftests.unit.simulated_load import second

IOPS = Metric.parse("write.iops")
P99 = Metric.parse("write.latency.p99")


def visit(rate: float, *, seconds: int = 4) -> list:
    return [second("write", rate=rate, block_size=4096)] * seconds


def of(*logarithms: float, seconds: float = 30.0, per_second: float = 0.0) -> Visits:
    return Visits(seconds=(seconds,) * len(logarithms), logarithms=logarithms, per_second=per_second)


def spread(*loads: BySegment, metrics: Sequence[Metric] = ()) -> Spread | None:
    return spread_of([shown_by(visits, metrics=metrics) for visits in loads])


def test_without_a_second_visit_one_percent_is_assumed() -> None:
    assert between_visits([]) == between_visits([of(7.0), of(8.0)]) == BetweenVisits()
    assert BetweenVisits().deviation == LEAST


def test_it_is_the_variance_within_profiles_not_that_between_them() -> None:
    found = between_visits([of(0.0, 0.2), of(5.0, 5.2), of(9.0)])
    assert found.degrees == LEAST_DEGREES + 2
    assert found.variance == pytest.approx((2 * 0.02 + LEAST_DEGREES * LEAST**2) / found.degrees)


def test_what_the_noise_within_visits_explains_is_no_variance_between_them() -> None:
    """Visits of 30 s at a noise of 15 % differ by 2.7 %."""
    random = numpy.random.default_rng(1)
    noise = [of(*random.normal(0.0, 0.15 / math.sqrt(30), 3), per_second=0.15**2) for _ in range(300)]
    assert between_visits(noise).deviation < 0.01
    swings = [of(*random.normal(0.0, math.hypot(0.1, 0.15 / math.sqrt(30)), 3), per_second=0.15**2) for _ in range(300)]
    assert between_visits(swings).deviation == pytest.approx(0.1, rel=0.1)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=5), st.floats(0.0, 0.1))
def test_a_profile_has_its_own_variance_as_far_as_its_visits_show_it(visits: list[float], shared: float) -> None:
    of_class = BetweenVisits(variance=shared, degrees=100.0)
    own = of(*visits)
    alone = own.excess / own.size
    found = of_class.of(own)
    assert min(alone, shared) - 1e-9 <= found.variance <= max(alone, shared) + 1e-9
    calm = of(*[1.0] * 5, per_second=1.0)
    assert of_class.of(calm).variance == pytest.approx(shared * SHARED_DEGREES / (SHARED_DEGREES + 4))
    assert found.degrees == SHARED_DEGREES + own.degrees
    assert of_class.of(of(1.0)).variance == pytest.approx(shared)


def test_two_in_a_hundred_intervals_miss_the_truth() -> None:
    """Eighteen profiles with three visits each, whose minutes differ by 10 %."""
    random, missed = numpy.random.default_rng(1), 0
    for _ in range(500):
        means = random.normal(0.0, 0.1, (18, 3))
        profiles = [of(*row) for row in means]
        shared = between_visits(profiles)
        reaches = [shared.of(visits).reach(confidence=0.98, seconds=visits.seconds) for visits in profiles]
        missed += int(numpy.sum(abs(means.mean(axis=1)) > numpy.array(reaches)))
    assert 0.005 < missed / (500 * 18) < 0.03


def test_one_unsteady_profile_among_steady_ones_keeps_most_of_its_variance() -> None:
    steady = [of(0.0, 0.01, -0.01)] * 17
    unsteady = of(0.3, -0.3, 0.0)
    shared = between_visits([*steady, unsteady])
    assert shared.of(unsteady).deviation > 2 * shared.of(steady[0]).deviation


def test_a_short_visit_counts_for_less_than_one() -> None:
    between = BetweenVisits(variance=0.01, degrees=20)
    alike, unlike = (between.reach(confidence=0.95, seconds=seconds) for seconds in ([10, 10], [10, 1]))
    assert alike < unlike < between.reach(confidence=0.95, seconds=[10])


def test_variances_within_and_between_visits_add_up() -> None:
    estimate = Estimate(mean=100.0, low=98.0, high=102.0, unit="1/s", samples=60)
    visits = [visit(100), visit(100)]
    wide = Spread(rates=BetweenVisits(variance=0.04, degrees=30))
    found = across_visits(estimate, IOPS, visits, spread=wide)
    assert found is not None and found.low is not None and found.high is not None
    between = wide.of(IOPS, visits).reach(confidence=0.95, seconds=[4.0, 4.0])
    assert math.log(found.high / 100) == pytest.approx(math.hypot(math.log(1.02), between))
    assert math.log(100 / found.low) == pytest.approx(math.hypot(math.log(100 / 98), between))
    assert across_visits(estimate, IOPS, visits, spread=None) == estimate
    unknown = estimate.model_copy(update={"low": None, "high": None})
    assert across_visits(unknown, IOPS, visits, spread=wide) == unknown


def test_the_spread_of_a_class_comes_from_all_its_loads() -> None:
    quiet, swinging = [visit(1000), visit(1000)], [visit(500), visit(1000)]
    known, unsteady = spread(quiet, quiet), spread(quiet, swinging)
    assert known is not None and known.rates.deviation < LEAST
    assert unsteady is not None and unsteady.rates.degrees == LEAST_DEGREES + 2
    assert unsteady.rates.variance == pytest.approx((math.log(2) ** 2 / 2 + 4 * LEAST**2) / 6)
    assert visit_figures(IOPS, [*swinging, []]) == [500, 1000]


def test_a_visit_of_a_moment_says_nothing() -> None:
    found = spread([visit(1000), visit(10, seconds=3), visit(1000)])
    assert found is not None and found.rates.degrees == LEAST_DEGREES + 1
    assert spread([visit(1000)], [visit(1000), visit(1000, seconds=3)]) is None


def test_a_visit_in_which_nothing_was_done_is_far_from_the_others() -> None:
    found = spread([visit(1000), visit(0), visit(1000)])
    assert found is not None and found.rates.deviation > 1.0


def test_a_percentile_varies_at_least_as_rates_do() -> None:
    fast, slow = (
        [second("write", rate=1000, block_size=4096, latency_s=latency_s)] * 4 for latency_s in (0.001, 0.004)
    )
    found = spread([fast, slow], metrics=[P99])
    assert found is not None and found.of(P99, [fast, slow]).deviation > 0.4 > found.of(IOPS, [fast, slow]).deviation
    visits = [visit(500), visit(1000)]
    vary = spread(visits, metrics=[P99])
    assert vary is not None and vary.of(P99, visits) == vary.of(IOPS, visits)
