"""Percentiles: bins as fio has them, and an interval that holds what the operations beyond it allow."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.measuring.percentiles import edges_ns, percentile_interval, percentile_of, together
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import ALONE, DURABLE, AnalysisPlan
from acceptance.trials.speed.decisions import judge_limit
from selftests.unit.made_limits import made_limit
from selftests.unit.simulated_latencies import (
    Second,
    ended,
    p99_of,
    sample,
    skewed,
    slow_operations,
    slow_seconds,
)
from selftests.unit.simulated_load import second


def middle_of_bin(index: int) -> int:
    """`plat_idx_to_val` of fio's stat.c, in whole ns as it prints them."""
    if index < 128:
        return index
    error_bits = (index >> 6) - 1
    return (1 << (error_bits + 6)) + int((index % 64 + 0.5) * (1 << error_bits))


def test_bins_lie_side_by_side_as_fio_has_them() -> None:
    edges = [edges_ns(middle_of_bin(index)) for index in range(128, 128 + 64 * 28)]
    assert edges[0][0] == 128
    assert all(before[1] == after[0] for before, after in pairwise(edges))
    assert edges_ns(127) == (127, 127)
    assert all(high / low <= 1 + 1 / 64 for low, high in edges)


@pytest.mark.parametrize("latency_ms", [9.97, 10.02])
def test_what_lies_in_the_bin_of_the_limit_neither_passes_nor_fails(latency_ms: float) -> None:
    """fio tells both as 10.027 ms: that of 9.97 ms would fail by a bin."""
    load = [[second("sync", rate=500, block_size=0, latency_s=middle_of_bin(bin_of(latency_ms)) / 1e9)] * 60]
    asked = Metric.parse("sync.latency.p99")
    found = {
        at_most_ms: judge_limit(
            load,
            made_limit(profile="etcd-fsync", metric=asked, at_most=at_most_ms / 1000, because="b"),
            plan=DURABLE,
            storage_class="fast",
        ).status
        for at_most_ms in (9.9, 10.0, 10.2)
    }
    assert found == {9.9: "fail", 10.0: "inconclusive", 10.2: "pass"}


def bin_of(latency_ms: float) -> int:
    ns = round(latency_ms * 1e6)
    return next(index for index in range(4000) if edges_ns(middle_of_bin(index))[1] > ns)


histograms = st.lists(
    st.dictionaries(st.integers(0, 1500).map(middle_of_bin), st.integers(1, 5000), max_size=8), min_size=3, max_size=12
)
CONFIDENCE = {"confidence": 0.99, "correlation": 0.25}


@given(histograms, st.sampled_from([50.0, 90.0, 99.0]))
def test_the_interval_holds_the_percentile_of_all_operations(found: list[dict[int, int]], percentile: float) -> None:
    interval = percentile_interval(found, percentile, **CONFIDENCE)
    pooled = percentile_of(together(found), percentile)
    if interval is not None:
        assert interval.mean == pooled
        assert 0 <= interval.low <= interval.mean <= interval.high < math.inf


@given(histograms)
def test_more_confidence_is_a_wider_interval(found: list[dict[int, int]]) -> None:
    narrow, wide = (
        percentile_interval(found, 90.0, confidence=confidence, correlation=0.25) for confidence in (0.9, 0.99)
    )
    if wide is not None:
        assert narrow is not None and wide.low <= narrow.low <= narrow.high <= wide.high


def test_no_operation_is_slow_among_too_few_to_tell() -> None:
    """Of 300 operations that one in a hundred is slow, none is in one of twenty cases."""
    few, many = ([{1_015_808: count}] * 10 for count in (30, 300))
    assert percentile_interval(few, 99.0, **CONFIDENCE) is None
    low, high = (edge / 1e9 for edge in edges_ns(1_015_808))
    assert percentile_interval(many, 99.0, **CONFIDENCE) == (0.001015808, low, high)


def test_slow_operations_that_come_together_tell_less_than_scattered_ones() -> None:
    scattered = [{1_015_808: 992, 20_054_016: 5}] * 12
    together_ = [{1_015_808: 997}] * 11 + [{1_015_808: 937, 20_054_016: 60}]
    found = [percentile_interval(each, 99.0, **CONFIDENCE) for each in (scattered, together_)]
    assert found[0] is not None and found[0].high < 0.002
    assert found[1] is None or found[1].high > 0.02


KINDS: dict[str, Second] = {
    "a quarter of the seconds slow": slow_seconds(0.25, 0.022),
    "a tenth of the seconds slow": slow_seconds(0.1, 0.012),
    "slow operations, few in all": slow_operations(0.015, 0.02, rate=192),
    "skewed": skewed(442),
}
PLANS = {"durable": DURABLE, "alone": ALONE}
RUNS = 15


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_p99_5_percent_from_its_limit_gets_no_wrong_verdict(kind: Second, plan: AnalysisPlan) -> None:
    truth_s = p99_of(kind)
    for seed in range(RUNS):
        assert ended(kind, plan=plan, at_most=truth_s / 1.05, seed=seed) != "pass"
        assert ended(kind, plan=plan, at_most=truth_s / 0.95, seed=seed) != "fail"


def test_a_p99_far_from_its_limit_is_decided() -> None:
    for kind in (KINDS["skewed"], KINDS["a tenth of the seconds slow"]):
        for seed in range(RUNS):
            assert ended(kind, plan=DURABLE, at_most=10 * p99_of(kind), seed=seed) == "pass"
    for seed in range(RUNS):
        assert ended(KINDS["skewed"], plan=DURABLE, at_most=p99_of(KINDS["skewed"]) / 4, seed=seed) == "fail"


def test_simulated_operations_are_in_the_bins_of_fio() -> None:
    made = sample(numpy.array([0.00997, 0.00997, 0.0000001]))
    assert dict(made.counts["write"].histogram) == {100: 1, middle_of_bin(bin_of(9.97)): 2}
