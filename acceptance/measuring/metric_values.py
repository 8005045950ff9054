"""The values of a metric from samples: over any stretch, batch by batch, and with its interval.

Rates are over the time, latencies over the operations: if a tenth of the seconds is slow, few operations are slow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.loads.fio.samples import DIRECTIONS, Sample
from acceptance.measuring.batches import batches, loaded_s, time_s
from acceptance.measuring.figures import estimate
from acceptance.measuring.measure import BySegment
from acceptance.measuring.percentiles import percentile_interval, percentile_of, together
from acceptance.measuring.stalls import Stall, longest_stall
from acceptance.results.document import Estimate
from acceptance.results.metrics import CPU, CPU_PER_OPERATION, STALL, STANDARD_STATISTICS, Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import Part
from acceptance.statistics.looks import Look


def metric_value(metric: Metric, samples: Sequence[Sample]) -> float | None:
    """Return the metric over a stretch of samples, in its unit; None if the stretch does not show it.

    Rates are totals over the time, so a stalled second counts. Latencies are over the operations in the stretch; a
    stretch without completed operations has none, and no CPU time of an operation either. CPU use is over the time.
    Both CPU metrics are unknown if the CPU time of one second is unknown.
    """
    if metric.statistic == "longest":
        stall = longest_stall([samples])
        return None if stall is None else stall.at_least
    part = _part(metric, samples)
    return part.amount / part.weight if part is not None else None


def _part(metric: Metric, samples: Sequence[Sample]) -> Part | None:
    """Return the amount that a stretch adds to the metric, and its divisor, which is the time for a rate."""
    if metric.direction is None:
        return _cpu_part(metric, samples)
    counts = [sample.counts[metric.direction] for sample in samples]
    if metric.statistic in ("iops", "bandwidth"):
        return Part(sum(count.ios if metric.statistic == "iops" else count.bytes for count in counts), time_s(samples))
    if metric.statistic == "mean":
        latencies = sum(count.latencies for count in counts)
        return Part(sum(count.latency_sum_s for count in counts), latencies) if latencies else None
    seconds = percentile_of(_histogram(metric, samples), metric.percentile or 0.0)
    return None if seconds is None else Part(seconds, 1.0)


def _cpu_part(metric: Metric, samples: Sequence[Sample]) -> Part | None:
    """Return CPU time over the time, or over reads and writes: a sync belongs to the write that it makes durable."""
    if any(sample.cpu_s is None for sample in samples):
        return None
    used_s = sum(sample.cpu_s or 0.0 for sample in samples)
    if metric.statistic == "cpu":
        return Part(used_s, time_s(samples))
    operations = sum(sample.counts[direction].ios for sample in samples for direction in ("read", "write"))
    return Part(used_s, operations) if operations else None


def _histogram(metric: Metric, samples: Sequence[Sample]) -> Counter[int]:
    return together([sample.counts[metric.direction or ""].histogram for sample in samples])


def batch_parts(metric: Metric, segments: BySegment, *, plan: AnalysisPlan) -> list[list[Part]] | None:
    """Return the part that each batch adds to the metric, segment by segment; None if a batch does not show it.

    The batches are those of the plan's interim analysis after this amount of load.
    """
    if metric.direction == "sync" and not _has_operations("sync", segments):
        return None  # unknown, not slow: with gtod_reduce fio does not count syncs
    parts_by_segment: list[list[Part]] = []
    for segment in _batches(segments, plan=plan):
        parts = [_part(metric, batch) for batch in segment]
        if any(part is None for part in parts):
            return None
        parts_by_segment.append([part for part in parts if part is not None])
    return parts_by_segment


def _batches(segments: BySegment, *, plan: AnalysisPlan) -> list[list[Sequence[Sample]]]:
    length = plan.at(loaded_s(segments)).batch_s
    return [batches(samples, length=length) for samples in segments]


def metric_estimate(metric: Metric, segments: BySegment, *, plan: AnalysisPlan, confidence: float) -> Estimate | None:
    """Return the metric with its interval from batches; None if the samples do not show it.

    The longest stall is an event, not a mean: it lies between the observed time and that plus what checks a second
    apart can miss.
    """
    if metric.statistic == "longest":
        return stall_estimate(longest_stall(segments), metric, segments, confidence=confidence)
    if metric.direction is not None and not _has_operations(metric.direction, segments):
        return None  # the profile does not use this direction, which is not a rate of zero
    look = plan.at(loaded_s(segments))
    flat = [batch for segment in _batches(segments, plan=plan) for batch in segment]
    if metric.percentile is not None:
        return _percentile_estimate(metric, flat, look=look, confidence=confidence, seconds=loaded_s(segments))
    parts = [_part(metric, batch) for batch in flat]
    known_parts = [part for part in parts if part is not None]
    # A batch without completed operations has no slow ones either; but CPU time is unknown if one second's is unknown.
    if not known_parts or (metric.direction is None and not _cpu_is_known(segments)):
        return None
    return estimate(
        known_parts,
        unit=metric.unit,
        seconds=loaded_s(segments),
        confidence=confidence,
        correlation=look.batch_correlation,
    )


def _percentile_estimate(
    metric: Metric, batches_of_samples: Sequence[Sequence[Sample]], *, look: Look, confidence: float, seconds: int
) -> Estimate | None:
    """Return the percentile over all operations, with an interval from batches if there are enough."""
    histograms, percentile = [_histogram(metric, batch) for batch in batches_of_samples], metric.percentile or 0.0
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
    """Return the estimate of the longest stall, for a caller that has found it already; None if there is none."""
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
    """Return the metrics worth showing: those of every direction with operations, the longest stall, and the CPU time
    if it is known."""
    directions = [direction for direction in DIRECTIONS if _has_operations(direction, segments)]
    paths = [f"{direction}.{statistic}" for direction in directions for statistic in STANDARD_STATISTICS]
    if any(sample.cpu_s is not None for samples in segments for sample in samples):
        paths += [CPU, CPU_PER_OPERATION]
    if directions:
        paths.append(STALL)
    return [Metric.parse(path) for path in paths if path != "sync.bandwidth"]


def _cpu_is_known(segments: BySegment) -> bool:
    return all(sample.cpu_s is not None for samples in segments for sample in samples)


def _has_operations(direction: str, segments: BySegment) -> bool:
    return any(sample.counts[direction].ios for samples in segments for sample in samples)
