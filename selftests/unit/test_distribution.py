"""Latency by percentile: as far as the operations support it, over all segments, as fio's own percentiles."""

from __future__ import annotations

import pytest

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.measuring.distribution import PERCENTILES, distribution


def sample(histogram: dict[int, int], *, direction: str = "write") -> Sample:
    counts = {each: Counts() for each in DIRECTIONS}
    counts[direction] = Counts(ios=sum(histogram.values()), histogram=histogram)
    return Sample(duration_s=1.0, counts=counts)


def percentiles(operations: int) -> list[float]:
    found = distribution([[sample({1_000: operations})]])
    return [each.percentile for each in found.get("write", [])]


@pytest.mark.parametrize(
    ("operations", "first", "last"),
    [
        (20, 50, 50),
        (99, 25, 75),
        (100, 10, 90),
        (1000, 1, 99),
        (10_000, 1, 99.9),
        (99_999, 1, 99.95),
        (100_000, 1, 99.99),
    ],
)
def test_at_least_ten_operations_lie_beyond_each_percentile(operations: int, first: float, last: float) -> None:
    found = percentiles(operations)
    assert (found[0], found[-1]) == (first, last)
    assert found == [percentile for percentile in PERCENTILES if first <= percentile <= last]


def test_too_few_operations_support_none() -> None:
    assert distribution([[sample({1_000: 19})]]) == {}
    assert distribution([]) == {}


def test_it_is_over_all_seconds_and_segments() -> None:
    fast, slow = {1_000_000: 900}, {5_000_000: 100}
    found = distribution([[sample(fast)], [sample(slow)]])["write"]
    by_percentile = {each.percentile: each.seconds for each in found}
    assert by_percentile[90.0] == pytest.approx(0.001)
    assert by_percentile[95.0] == pytest.approx(0.005)


def test_each_direction_has_its_own_and_one_without_latencies_none() -> None:
    found = distribution([[sample({1_000: 50}), sample({9_000: 50}, direction="sync")]])
    assert set(found) == {"write", "sync"}
    assert found["sync"][0].seconds == pytest.approx(9e-6)
    unknown = Sample(duration_s=1.0, counts={direction: Counts(ios=100) for direction in DIRECTIONS})
    assert distribution([[unknown]]) == {}
