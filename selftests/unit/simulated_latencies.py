"""Storage whose operations take different times, looked at as a plan says: for what is promised of percentiles.

One operation at a time, so that a slow second holds few. The histograms have fio's bins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy
from numpy.typing import NDArray

from acceptance.loads.fio.histogram import PackedHistogram
from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.trials.speed.decisions import are_decided, judge_limit
from selftests.unit.made_limits import made_limit

Latencies = NDArray[numpy.float64]
"""in s, operation by operation"""
Second = Callable[[numpy.random.Generator], Latencies]
"""The operations of a second."""
P99 = Metric.parse("write.latency.p99")
HOUR_S = 4000


def sample(latencies_s: Latencies) -> Sample:
    """A second as fio counts it: in bins, each known by its middle (`plat_val_to_idx`, `plat_idx_to_val`; stat.c)."""
    ns = numpy.asarray(latencies_s * 1e9, dtype=numpy.int64)
    shift = numpy.maximum(0, numpy.floor(numpy.log2(ns)).astype(numpy.int64) - 6)
    middles, counts = numpy.unique(((ns >> shift) << shift) + ((1 << shift) >> 1), return_counts=True)
    done = Counts(
        ios=len(latencies_s),
        bytes=4096 * len(latencies_s),
        latency_sum_s=float(latencies_s.sum()),
        latencies=len(latencies_s),
        histogram=PackedHistogram(dict(zip(middles.tolist(), counts.tolist(), strict=True))),
    )
    return Sample(
        duration_s=1.0, counts={direction: done if direction == "write" else Counts() for direction in DIRECTIONS}
    )


def slow_seconds(share: float, slow_s: float) -> Second:
    """Some seconds are slow; 1 ms an operation in the others. Lognormal by a fifth."""

    def second(random: numpy.random.Generator) -> Latencies:
        each_s = slow_s if random.random() < share else 0.001
        return each_s * random.lognormal(0.0, 0.2, size=round(1 / each_s))

    return second


def slow_operations(share: float, slow_s: float, *, rate: int) -> Second:
    """Some operations are slow, whenever they come."""

    def second(random: numpy.random.Generator) -> Latencies:
        typical_s = numpy.where(random.random(rate) < share, slow_s, 0.001)
        return typical_s * random.lognormal(0.0, 0.2, size=rate)

    return second


def skewed(rate: int) -> Second:
    """Lognormal operations, around 2 ms."""
    return lambda random: 0.002 * random.lognormal(0.0, 0.5, size=rate)


@cache
def p99_of(second: Second) -> float:
    """The truth (s), of more than an hour."""
    random = numpy.random.default_rng(1)
    return float(numpy.quantile(numpy.concatenate([second(random) for _ in range(HOUR_S)]), 0.99))


def ended(second: Second, *, plan: AnalysisPlan, at_most: float, seed: int) -> str:
    """How a measurement ends: with what the first look that decides says, or the last."""
    random = numpy.random.default_rng(seed)
    limit = made_limit(profile="writes", metric=P99, at_most=at_most, because="b")
    load = [sample(second(random)) for _ in range(plan.cap)]
    for look in plan.looks:
        segments = [load[:look]]
        if are_decided([limit], segments, plan=plan) or look == plan.cap:
            return judge_limit(segments, limit, plan=plan, storage_class="fast").status
    raise AssertionError("the last look is at the cap")
