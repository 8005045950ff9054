"""From samples to a metric's values: totals over time, latencies over operations, percentiles as fio shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.measuring.distribution import distribution
from acceptance.measuring.metric_values import batch_parts, metric_estimate, metric_value, shown_metrics
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan

PLAN = AnalysisPlan(seconds=(12,), batch_s=4)


def batch_values(metric: Metric, segments: Sequence[Sequence[Sample]]) -> list[list[float]] | None:
    found = batch_parts(metric, segments, plan=PLAN)
    return None if found is None else [[part.amount / part.weight for part in segment] for segment in found]


def value(path: str, *samples: Sample) -> float | None:
    return metric_value(Metric.parse(path), samples)


def sample(duration_s: float = 1.0, **counts: Counts) -> Sample:
    return Sample(
        duration_s=duration_s, counts={direction: counts.get(direction, Counts()) for direction in DIRECTIONS}
    )


def writes(ios: int, *, duration_s: float = 1.0, each_s: float = 0.001) -> Sample:
    histogram = {round(each_s * 1e9): ios} if ios else {}
    done = Counts(ios=ios, bytes=4096 * ios, latency_sum_s=ios * each_s, latencies=ios, histogram=histogram)
    return sample(duration_s, write=done)


histograms = st.dictionaries(st.integers(1, 10**10), st.integers(1, 1000), min_size=1, max_size=12)
stretches = st.lists(
    st.builds(lambda ios, duration_s: writes(ios, duration_s=duration_s), st.integers(0, 10**6), st.floats(0.5, 5.0)),
    min_size=1,
    max_size=6,
)


def test_rates_are_totals_over_time_so_that_a_stalled_second_counts() -> None:
    stretch = [writes(100), writes(0), writes(50, duration_s=3.0)]
    assert value("write.iops", *stretch) == pytest.approx(30.0)
    assert value("write.bandwidth", *stretch) == pytest.approx(30.0 * 4096)
    assert value("write.iops", writes(0)) == 0.0


def test_latencies_are_over_operations_not_over_seconds() -> None:
    stretch = [writes(300, each_s=0.001), writes(100, each_s=0.005)]
    assert value("write.latency.mean", *stretch) == pytest.approx(0.002)
    assert value("write.latency.p50", *stretch) == pytest.approx(0.001)
    assert value("write.latency.p75", *stretch) == pytest.approx(0.001)
    assert value("write.latency.p75.1", *stretch) == pytest.approx(0.005)


@pytest.mark.parametrize("path", ["write.latency.mean", "write.latency.p99"])
def test_a_stretch_in_which_nothing_completed_has_no_latency(path: str) -> None:
    assert value(path, writes(0), writes(0)) is None


@given(first=stretches, second=stretches, path=st.sampled_from(["write.iops", "write.bandwidth"]))
def test_the_rate_of_two_stretches_lies_between_theirs(first: list[Sample], second: list[Sample], path: str) -> None:
    apart = [value(path, *first) or 0.0, value(path, *second) or 0.0]
    together = value(path, *first, *second)
    assert together is not None
    assert min(apart) * (1 - 1e-9) <= together <= max(apart) * (1 + 1e-9)


@given(histograms, st.lists(st.integers(1, 99_999), min_size=2, max_size=2))
def test_a_higher_percentile_is_never_lower_and_each_is_a_bin_of_fio(
    histogram: dict[int, int], thousandths: list[int]
) -> None:
    measured = sample(write=Counts(histogram=histogram))
    low, high = (value(f"write.latency.p{thousandth / 1000:.3f}", measured) for thousandth in sorted(thousandths))
    assert low is not None and high is not None
    assert low <= high
    assert {round(low * 1e9), round(high * 1e9)} <= set(histogram)


@given(histograms)
def test_half_of_the_operations_are_at_most_at_the_median(histogram: dict[int, int]) -> None:
    median = value("write.latency.p50", sample(write=Counts(histogram=histogram)))
    assert median is not None
    at_most = sum(count for upper, count in histogram.items() if upper / 1e9 <= median)
    below = sum(count for upper, count in histogram.items() if upper / 1e9 < median)
    assert below < sum(histogram.values()) / 2 <= at_most


@pytest.mark.parametrize("plan", [PLAN, AnalysisPlan(seconds=(60,), batch_s=1), AnalysisPlan(seconds=(60,), batch_s=5)])
def test_latencies_are_of_operations_however_the_batches_are_cut(plan: AnalysisPlan) -> None:
    """A tenth of the seconds is slow, one operation at a time: as many a second as Little's law says of the mean."""
    segment = ([writes(1000, each_s=0.001)] * 9 + [writes(10, each_s=0.1)]) * 6
    mean, p99, iops = (
        metric_estimate(Metric.parse(f"write.{each}"), [segment], plan=plan, confidence=0.95)
        for each in ("latency.mean", "latency.p99", "iops")
    )
    assert mean is not None and p99 is not None and iops is not None
    assert mean.mean == pytest.approx(1 / iops.mean)
    assert (p99.mean, p99.mean) == (0.001, distribution_p99([segment])), "10 of 9,010 operations are slow"


def distribution_p99(segments: Sequence[Sequence[Sample]]) -> float:
    """What the report's curve shows."""
    return next(point.seconds for point in distribution(segments)["write"] if point.percentile == 99)


def test_batches_do_not_span_segments() -> None:
    segments = [[writes(10)] * 5, [writes(20)] * 8]
    assert batch_values(Metric.parse("write.iops"), segments) == [[10.0], [20.0, 20.0]]


def test_the_rate_of_a_load_with_standstills_is_its_operations_over_its_time() -> None:
    """As real fio showed it: 8 s in which nothing is done are one sample, and eight seconds all the same."""
    segment = [*[writes(550)] * 21, writes(550, duration_s=9.0)] * 2
    found = metric_estimate(Metric.parse("write.iops"), [segment], plan=AnalysisPlan(seconds=(60,)), confidence=0.99)
    assert found is not None and found.low is not None and found.high is not None
    assert (found.mean, found.samples) == (pytest.approx(44 * 550 / 60), 60)
    assert found.low < 44 * 550 / 60 < found.high


@pytest.mark.parametrize("path", ["write.latency.mean", "write.latency.p99"])
def test_a_batch_without_operations_holds_none_that_was_slow_but_nothing_to_compare(path: str) -> None:
    segment = [writes(1000)] * 4 + [writes(0)] * 4 + [writes(1000)] * 4
    latency, iops = Metric.parse(path), Metric.parse("write.iops")
    assert batch_values(latency, [segment]) is None
    two, three = (metric_estimate(latency, [each], plan=PLAN, confidence=0.95) for each in (segment, segment * 2))
    assert two is not None and (two.mean, two.low) == (0.001, None), "of too few batches"
    assert three is not None and three.low is not None and three.low <= 0.001
    segment = [writes(10)] * 4 + [writes(0)] * 4 + [writes(10)] * 4
    assert batch_values(iops, [segment]) == [[10.0, 0.0, 10.0]]


def test_syncs_that_fio_did_not_count_are_unknown_not_zero() -> None:
    segment = [writes(10)] * 12
    assert metric_estimate(Metric.parse("sync.iops"), [segment], plan=PLAN, confidence=0.95) is None
    stalled_at_first = [[sample()] * 4 + [sample(sync=Counts(ios=8))] * 8]
    assert batch_values(Metric.parse("sync.iops"), stalled_at_first) == [[0.0, 8.0, 8.0]]


def test_an_estimate_rests_on_all_seconds_and_needs_three_batches_for_an_interval() -> None:
    estimate = metric_estimate(Metric.parse("write.iops"), [[writes(10)] * 14], plan=PLAN, confidence=0.9)
    assert estimate is not None
    assert (estimate.mean, estimate.samples, estimate.unit, estimate.confidence) == (10.0, 14, "1/s", 0.9)
    few = metric_estimate(Metric.parse("write.iops"), [[writes(10)] * 3], plan=PLAN, confidence=0.9)
    assert few is not None and (few.mean, few.low, few.samples) == (10.0, None, 3)
    assert metric_estimate(Metric.parse("write.iops"), [], plan=PLAN, confidence=0.9) is None


def test_cpu_use_is_cpu_time_over_time_and_unknown_where_a_second_is_unknown() -> None:
    known = [replace(writes(1), cpu_s=0.25), replace(writes(0, duration_s=3.0), cpu_s=0.75)]
    assert value("cpu.use", *known) == pytest.approx(0.25)
    assert value("cpu.use", *known, writes(1)) is None
    estimate = metric_estimate(Metric.parse("cpu.use"), [known[:1] * 12], plan=PLAN, confidence=0.95)
    assert estimate is not None
    assert (estimate.mean, estimate.unit) == (0.25, "cpu")


def test_cpu_time_is_divided_by_the_reads_and_writes_of_the_same_time() -> None:
    mixed = sample(read=Counts(ios=30), write=Counts(ios=10), sync=Counts(ios=10))
    known = [replace(mixed, cpu_s=0.25), replace(writes(0, duration_s=3.0), cpu_s=0.75)]
    assert value("cpu.per_operation", *known) == pytest.approx(0.025)
    assert value("cpu.per_operation", *known, mixed) is None
    assert value("cpu.per_operation", known[1]) is None
    estimate = metric_estimate(Metric.parse("cpu.per_operation"), [known[:1] * 12], plan=PLAN, confidence=0.95)
    assert estimate is not None
    assert (estimate.mean, estimate.unit) == (pytest.approx(0.00625), "s")
    assert metric_estimate(Metric.parse("cpu.per_operation"), [[mixed] * 12], plan=PLAN, confidence=0.95) is None


def test_cpu_time_is_shown_where_it_is_known() -> None:
    shown = [[metric.path for metric in shown_metrics([[each]])] for each in (replace(writes(1), cpu_s=0.0), writes(1))]
    for path in ("cpu.use", "cpu.per_operation"):
        assert [path in paths for paths in shown] == [True, False]


def test_what_is_shown_is_what_was_done() -> None:
    both = [[writes(0), sample(sync=Counts(ios=1), write=Counts(ios=1))]]
    assert {metric.direction for metric in shown_metrics(both)} == {"write", "sync", None}
    assert "sync.bandwidth" not in [metric.path for metric in shown_metrics(both)]
    assert shown_metrics([[writes(0)]]) == []


@pytest.mark.parametrize("path", ["write.iops", "write.latency.mean", "write.latency.p50", "stall.longest"])
def test_all_values_of_a_measurement_rest_on_the_same_seconds(path: str) -> None:
    """Of late documents: rounded batch by batch they would be 24 s, and 25 s are what the load lasted."""
    late = [[writes(100, duration_s=1.04)] * 24]
    found = metric_estimate(Metric.parse(path), late, plan=PLAN, confidence=0.9)
    assert found is not None and found.samples == 25
