"""The impact of a rebuild on the foreground: the same load before it and during it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.measuring.figures import figure
from acceptance.measuring.windows import TimedSample, Window, batch_length, batch_values, samples_in
from acceptance.results.metrics import Metric
from acceptance.results.rebuilds import ForegroundRecord, LoadPoint
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import correlation_of_batches
from acceptance.trials.rebuild.model import MOST_POINTS

IOPS, P99 = Metric.parse("write.iops"), Metric.parse("write.latency.p99")


LATE_S = 3.0
"""Seconds that may lack at the beginning and the end: fio reports each second when it is over."""


def why_unusable(samples: Sequence[TimedSample], *, before: Sequence[Window], during: Sequence[Window]) -> str | None:
    """Return why the load cannot be compared, in half a sentence; None if it can."""
    if not samples:
        return "no second of the load was observed"
    if samples[0].start_s > before[0].start_s + LATE_S or samples[-1].end_s < during[-1].end_s - LATE_S:
        lacks_s = max(samples[0].start_s - before[0].start_s, during[-1].end_s - samples[-1].end_s)
        return f"{lacks_s:.0f} s of the load are missing"
    if min(window.length_s for window in during) < 1.0:
        return "a rebuild took less than a second, too short to measure a load"
    return None


def impact(
    samples: Sequence[TimedSample],
    *,
    before: Sequence[Window],
    during: Sequence[Window],
    confidence: float,
) -> ForegroundRecord:
    """Return the figures of both, from batches of the same length, because a percentile depends on it.

    `before` and `during` are the windows of each rebuild, in s since the epoch; `why_unusable` has returned None for
    them.
    """
    length_s = min(map(batch_length, (window.length_s for window in (*before, *during))))
    began_s = during[0].start_s
    return ForegroundRecord(
        iops_before=_rate(samples, before, length_s, confidence),
        iops_during=_rate(samples, during, length_s, confidence),
        p99_before_s=_latency(samples, before, length_s, confidence),
        p99_during_s=_latency(samples, during, length_s, confidence),
        batch_s=length_s,
        points=_points(samples, start_s=before[0].start_s, end_s=during[-1].end_s, began_s=began_s),
    )


def _rate(samples: Sequence[TimedSample], windows: Sequence[Window], length_s: int, confidence: float) -> Figure:
    values = _values(IOPS, samples, windows, length_s) or []
    return figure(values, confidence=confidence, correlation=correlation_of_batches(length_s))


def _latency(
    samples: Sequence[TimedSample], windows: Sequence[Window], length_s: int, confidence: float
) -> Figure | None:
    values = _values(P99, samples, windows, length_s)
    if values is None:
        return None
    return figure(values, confidence=confidence, correlation=correlation_of_batches(length_s))


def _values(
    metric: Metric, samples: Sequence[TimedSample], windows: Sequence[Window], length_s: int
) -> list[float] | None:
    """Return the value in each batch of all windows; None if a batch has none."""
    series = [batch_values(metric, samples, window, length_s=length_s) for window in windows]
    return None if any(values is None for values in series) else [value for values in series for value in values or []]


def _points(samples: Sequence[TimedSample], *, start_s: float, end_s: float, began_s: float) -> list[LoadPoint]:
    """Return the points of the drawing: every second, or longer stretches if there are too many."""
    length_s = max(1.0, (end_s - start_s) / MOST_POINTS)
    points: list[LoadPoint] = []
    at_s = start_s
    while at_s < end_s:
        inside = samples_in(samples, Window(start_s=at_s, end_s=at_s + length_s))
        ios = sum(sample.counts["write"].ios for sample in inside)
        points.append(LoadPoint(at_s=at_s + length_s - began_s, iops=ios / sum(sample.duration_s for sample in inside)))
        at_s += length_s
    return points
