"""Intervals of percentiles and shares from few values: exact where that can be worked out, and shown by simulation."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.statistics.order_statistics import at_most, least_count, nearest_rank, percentile, share_interval

CONFIDENCE = 0.98
SHARES = (0.5, 0.9, 0.95, 0.99)
TIMES = st.lists(st.floats(0.0, 1e6) | st.just(math.inf), min_size=1, max_size=300)


@given(TIMES, st.sampled_from(SHARES))
def test_the_interval_holds_the_percentile_and_is_made_of_values(times: list[float], share: float) -> None:
    found = percentile(times, share, confidence=CONFIDENCE)
    assert found.low <= found.value <= found.high
    assert {found.low, found.value, found.high} <= {0.0, math.inf, *times}


@given(TIMES, st.sampled_from(SHARES), st.floats(0.0, 1e6))
def test_slower_operations_make_no_end_lower(times: list[float], share: float, by: float) -> None:
    before, after = (percentile(each, share, confidence=CONFIDENCE) for each in (times, [time + by for time in times]))
    assert all(now >= then for now, then in zip(after, before, strict=True))


@given(TIMES, st.sampled_from(SHARES))
def test_more_confidence_is_no_narrower(times: list[float], share: float) -> None:
    narrow, wide = (percentile(times, share, confidence=each) for each in (0.9, 0.99))
    assert wide.low <= narrow.low and narrow.high <= wide.high


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("count", [1, 7, 20, 90, 91, 100, 459, 1000])
def test_each_end_is_wrong_no_more_often_than_promised(share: float, count: int) -> None:
    """Worked out, not simulated: of the ranks that the ends have, by the binomial distribution."""
    found = percentile([float(rank) for rank in range(1, count + 1)], share, confidence=CONFIDENCE)
    budget = (1 - CONFIDENCE) / 2 + 1e-9
    assert found.low == 0.0 or at_most(int(found.low) - 1, count, share) <= budget
    assert math.isinf(found.high) or 1.0 - at_most(int(found.high) - 1, count, share) <= budget
    # And no narrower interval keeps the promise.
    assert at_most(int(found.low), count, share) > budget - 2e-9
    next_lower = count if math.isinf(found.high) else int(found.high) - 1
    assert 1.0 - at_most(next_lower - 1, count, share) > budget - 2e-9


DISTRIBUTIONS: dict[str, Callable[[random.Random], float]] = {
    "exponential": lambda chance: chance.expovariate(1.0),
    "two speeds": lambda chance: chance.uniform(1.0, 2.0) * (10.0 if chance.random() < 0.05 else 1.0),
    "whole seconds": lambda chance: float(round(chance.expovariate(0.5))),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_as_many_intervals_miss_as_are_allowed_to(name: str) -> None:
    """Storage exactly at its limit: a pass, or a fail, in no more than 1 % of runs of 100 operations."""
    chance, draw, runs = random.Random(7), DISTRIBUTIONS[name], 2000
    true = nearest_rank([draw(random.Random(seed)) for seed in range(100_000)], 0.95)
    found = [percentile([draw(chance) for _ in range(100)], 0.95, confidence=CONFIDENCE) for _ in range(runs)]
    # Three standard errors of a share of 1 % of so many runs.
    most = 0.01 + 3 * math.sqrt(0.01 * 0.99 / runs)
    assert sum(each.high < true for each in found) / runs <= most
    assert sum(each.low > true for each in found) / runs <= most


def test_the_fewest_values_that_bound_a_percentile() -> None:
    assert [least_count(share, confidence=CONFIDENCE) for share in SHARES] == [7, 44, 90, 459]
    for share in SHARES:
        count = least_count(share, confidence=CONFIDENCE)
        ends = [percentile([1.0] * each, share, confidence=CONFIDENCE).high for each in (count - 1, count)]
        assert ends == [math.inf, 1.0]


def test_one_that_never_came_is_slower_than_all_others() -> None:
    assert percentile([1.0] * 99 + [math.inf], 0.95, confidence=CONFIDENCE).high == math.inf
    assert percentile([1.0] * 499 + [math.inf], 0.95, confidence=CONFIDENCE).high == 1.0


def test_no_values_are_a_wrong_question() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        percentile([], 0.5, confidence=CONFIDENCE)


@given(st.integers(1, 2000).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_a_share_lies_in_its_interval(of: tuple[int, int]) -> None:
    found, count = of
    low, high = share_interval(found, count, confidence=CONFIDENCE)
    assert 0.0 <= low <= found / count <= high <= 1.0
    assert low == 0.0 or 1.0 - at_most(found - 1, count, low) == pytest.approx(0.01, rel=1e-3)
    assert high == 1.0 or at_most(found, count, high) == pytest.approx(0.01, rel=1e-3)


def test_none_of_a_hundred_may_still_be_one_in_twenty_two() -> None:
    low, high = share_interval(0, 100, confidence=CONFIDENCE)
    assert low == 0.0 and high == pytest.approx(1 - 0.01 ** (1 / 100), rel=1e-6)
    with pytest.raises(ValueError, match="found 2 of 1"):
        share_interval(2, 1, confidence=CONFIDENCE)
