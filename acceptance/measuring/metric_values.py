"""From samples to the values of a metric: over any stretch, batch by batch, and with its interval.

Rates are over the time, latencies over the operations: where a tenth of the seconds is slow, few operations are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.loads.fio.samples import DIRECTIONS, Sample
from acceptance.measuring.batches import batches, loaded_s
from acceptance.measuring.figures import estimate
from acceptance.measuring.measure import BySegment
from acceptance.measuring.percentiles import percentile_interval, percentile_of, together
from acceptance.measuring.stalls import Stall, longest_stall
from acceptance.results.document import Estimate
from acceptance.results.metrics import CPU, CPU_PER_OPERATION, SHOWN, STALL, Metric
from acceptance.statistics.interim_analyses import AnalysisPlan, Look
from acceptance.statistics.intervals import Part


def metric_value(metric: Metric, samples: Sequence[Sample]) -> float | None:
    """The metric over a stretch of samples, in its unit; None where the stretch says nothing about it.

    Rates are totals over the time, so that a stalled second counts. Latencies are over the operations in the stretch;
    a stretch in which nothing completed has none, and no CPU time of an operation either. CPU use is over the time.
    Both are unknown where the CPU time of one second is.
    """
    if metric.statistic == "longest":
        stall = longest_stall([samples])
        return None if stall is None else stall.at_least
    part = _part(metric, samples)
    return part.amount / part.weight if part is not None else None


def _part(metric: Metric, samples: Sequence[Sample]) -> Part | None:
    """What a stretch adds to the metric, and what that is divided by: time for what is a rate."""
    if metric.direction is None:
        return _cpu_part(metric, samples)
    counts = [sample.counts[metric.direction] for sample in samples]
    if metric.statistic in ("iops", "bandwidth"):
        return Part(sum(count.ios if metric.statistic == "iops" else count.bytes for count in counts), _time(samples))
    if metric.statistic == "mean":
        latencies = sum(count.latencies for count in counts)
        return Part(sum(count.latency_sum_s for count in counts), latencies) if latencies else None
    found = percentile_of(_histogram(metric, samples), metric.percentile or 0.0)
    return None if found is None else Part(found, 1.0)


def _cpu_part(metric: Metric, samples: Sequence[Sample]) -> Part | None:
    """CPU time by the time, or by the reads and writes: a sync belongs to the write that it makes durable."""
    if any(sample.cpu_s is None for sample in samples):
        return None
    used_s = sum(sample.cpu_s or 0.0 for sample in samples)
    if metric.statistic == "cpu":
        return Part(used_s, _time(samples))
    operations = sum(sample.counts[direction].ios for sample in samples for direction in ("read", "write"))
    return Part(used_s, operations) if operations else None


def _histogram(metric: Metric, samples: Sequence[Sample]) -> Counter[int]:
    return together([sample.counts[metric.direction or ""].histogram for sample in samples])


def _time(samples: Sequence[Sample]) -> float:
    return sum(sample.duration_s for sample in samples)


def batch_parts(metric: Metric, segments: BySegment, *, plan: AnalysisPlan) -> list[list[Part]] | None:
    """What each batch adds to the metric, segment by segment; None where a batch says nothing about it.

    Batches are those of the plan's look after so much load.
    """
    if metric.direction == "sync" and not _used("sync", segments):
        return None  # not slow, but unknown: with gtod_reduce fio does not count them
    found: list[list[Part]] = []
    for segment in _batches(segments, plan=plan):
        parts = [_part(metric, batch) for batch in segment]
        if any(part is None for part in parts):
            return None
        found.append([part for part in parts if part is not None])
    return found


def _batches(segments: BySegment, *, plan: AnalysisPlan) -> list[list[Sequence[Sample]]]:
    length = plan.at(loaded_s(segments)).batch_s
    return [batches(samples, length=length) for samples in segments]


def metric_estimate(metric: Metric, segments: BySegment, *, plan: AnalysisPlan, confidence: float) -> Estimate | None:
    """The metric with its interval from batches; None where the samples say nothing about it.

    The longest stall is an event and no mean: it lies between what was seen and what looks a second apart can hide.
    """
    if metric.statistic == "longest":
        return stall_estimate(longest_stall(segments), metric, segments, confidence=confidence)
    if metric.direction is not None and not _used(metric.direction, segments):
        return None  # the profile does not use this direction; that is no rate of zero
    look = plan.at(loaded_s(segments))
    flat = [batch for segment in _batches(segments, plan=plan) for batch in segment]
    if metric.percentile is not None:
        return _percentile_estimate(metric, flat, look=look, confidence=confidence, seconds=loaded_s(segments))
    parts = [_part(metric, batch) for batch in flat]
    known = [part for part in parts if part is not None]
    # A batch in which nothing completed holds no operation to be slow; but CPU time is unknown where one second's is.
    if not known or (metric.direction is None and not _cpu_is_known(segments)):
        return None
    return estimate(
        known,
        unit=metric.unit,
        seconds=loaded_s(segments),
        confidence=confidence,
        correlation=look.batch_correlation,
    )


def _percentile_estimate(
    metric: Metric, found: Sequence[Sequence[Sample]], *, look: Look, confidence: float, seconds: int
) -> Estimate | None:
    """Over all operations, with the interval from batches; without one where they are too few."""
    histograms, percentile = [_histogram(metric, batch) for batch in found], metric.percentile or 0.0
    mean = percentile_of(together(histograms), percentile)
    if mean is None:
        return None
    interval = percentile_interval(histograms, percentile, confidence=confidence, correlation=look.batch_correlation)
    return Estimate(
        mean=mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        unit=metric.unit,
        samples=seconds,
        confidence=confidence,
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
        samples=loaded_s(segments),
        confidence=confidence,
    )


def shown_metrics(segments: BySegment) -> list[Metric]:
    """The metrics worth showing: of every direction in which something was done; the longest stall of all; the CPU time
    where it is known."""
    used = [direction for direction in DIRECTIONS if _used(direction, segments)]
    paths = [f"{direction}.{statistic}" for direction in used for statistic in SHOWN]
    if any(sample.cpu_s is not None for samples in segments for sample in samples):
        paths += [CPU, CPU_PER_OPERATION]
    if used:
        paths.append(STALL)
    return [Metric.parse(path) for path in paths if path != "sync.bandwidth"]


def _cpu_is_known(segments: BySegment) -> bool:
    return all(sample.cpu_s is not None for samples in segments for sample in samples)


def _used(direction: str, segments: BySegment) -> bool:
    return any(sample.counts[direction].ios for samples in segments for sample in samples)
