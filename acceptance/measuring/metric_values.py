"""From samples to the values of a metric: over any stretch, batch by batch, and with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.loads.fio.samples import DIRECTIONS, Sample
from acceptance.measuring.figures import estimate
from acceptance.measuring.measure import BySegment
from acceptance.measuring.stalls import Stall, longest_stall
from acceptance.results.document import Estimate
from acceptance.results.metrics import CPU, SHOWN, STALL, Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import batches


def metric_value(metric: Metric, samples: Sequence[Sample]) -> float | None:
    """The metric over a stretch of samples, in its unit; None where the stretch says nothing about it.

    Rates are totals over the time, so that a stalled second counts. Latencies are over the operations in the stretch;
    a stretch in which nothing completed has none. CPU use is over the time; it is unknown where one second's is.
    """
    if metric.statistic == "longest":
        stall = longest_stall([samples])
        return None if stall is None else stall.at_least
    if metric.direction is None:
        return _cpu_use(samples)
    counts = [sample.counts[metric.direction] for sample in samples]
    if metric.statistic in ("iops", "bandwidth"):
        done = sum(each.ios if metric.statistic == "iops" else each.bytes for each in counts)
        return done / sum(sample.duration_s for sample in samples)
    if metric.statistic == "mean":
        latencies = sum(each.latencies for each in counts)
        return sum(each.latency_sum_s for each in counts) / latencies if latencies else None
    histogram: Counter[int] = Counter()
    for each in counts:
        histogram.update(each.histogram)
    return percentile_of(histogram, metric.percentile or 0.0)


def _cpu_use(samples: Sequence[Sample]) -> float | None:
    taken = [sample.cpu_s for sample in samples if sample.cpu_s is not None]
    return sum(taken) / sum(sample.duration_s for sample in samples) if len(taken) == len(samples) else None


def percentile_of(histogram: Counter[int], percentile: float) -> float | None:
    """The upper end (s) of the histogram's bin that holds the percentile, as fio itself reports it."""
    wanted = histogram.total() * percentile / 100
    below = 0
    for upper_ns in sorted(histogram):
        below += histogram[upper_ns]
        if below >= wanted:
            return upper_ns / 1e9
    return None


def loaded_s(segments: BySegment) -> int:
    """The counted seconds of load, by which a plan knows its looks."""
    return sum(map(len, segments))


def batch_values(metric: Metric, segments: BySegment, *, plan: AnalysisPlan) -> list[list[float]] | None:
    """The metric's value for each batch, segment by segment; None where a batch says nothing about it.

    Batches are those of the plan's look after so much load.
    """
    if metric.direction == "sync" and not _used("sync", segments):
        return None  # not slow, but unknown: with gtod_reduce fio does not count them
    length = plan.at(loaded_s(segments)).batch_s
    found: list[list[float]] = []
    for samples in segments:
        values = [metric_value(metric, batch) for batch in batches(samples, length=length)]
        if any(value is None for value in values):
            return None
        found.append([value for value in values if value is not None])
    return found


def metric_estimate(metric: Metric, segments: BySegment, *, plan: AnalysisPlan, confidence: float) -> Estimate | None:
    """The metric with its interval from batch means; None where the samples say nothing about it.

    The longest stall is an event and no mean: it lies between what was seen and what looks a second apart can hide.
    """
    if metric.statistic == "longest":
        return stall_estimate(longest_stall(segments), metric, segments, confidence=confidence)
    if metric.direction is not None and not _used(metric.direction, segments):
        return None  # the profile does not use this direction; that is no rate of zero
    values = batch_values(metric, segments, plan=plan)
    flat = [value for segment in values or [] for value in segment]
    if not flat:
        return None
    look = plan.at(loaded_s(segments))
    return estimate(
        flat,
        unit=metric.unit,
        seconds=len(flat) * look.batch_s,
        confidence=confidence,
        correlation=look.batch_correlation,
    )


def stall_estimate(stall: Stall | None, metric: Metric, segments: BySegment, *, confidence: float) -> Estimate | None:
    """The same of the longest stall, where that is known already."""
    if stall is None:
        return None
    return Estimate(
        mean=stall.at_least,
        low=stall.at_least,
        high=stall.at_most,
        unit=metric.unit,
        samples=sum(map(len, segments)),
        confidence=confidence,
    )


def shown_metrics(segments: BySegment) -> list[Metric]:
    """The metrics worth showing: of every direction in which something was done; the longest stall of all; the CPU use
    where it is known."""
    used = [direction for direction in DIRECTIONS if _used(direction, segments)]
    paths = [f"{direction}.{statistic}" for direction in used for statistic in SHOWN]
    if any(sample.cpu_s is not None for samples in segments for sample in samples):
        paths.append(CPU)
    if used:
        paths.append(STALL)
    return [Metric.parse(path) for path in paths if path != "sync.bandwidth"]


def _used(direction: str, segments: BySegment) -> bool:
    return any(sample.counts[direction].ios for samples in segments for sample in samples)
