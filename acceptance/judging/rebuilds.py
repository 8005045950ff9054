"""Rebuild record + limit -> verdict. Pure; every reason carries the arithmetic that it rests on."""

from __future__ import annotations

import math
from statistics import fmean

from acceptance.judging.outcome import Decision, decide, held_against, not_judged, outcome, verdict_id
from acceptance.limits.rebuilds import RebuildLimit
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import Interval, correlation_of_batches
from acceptance.statistics.ratios import independent_ratio
from acceptance.text.quantities import format_quantity

ONCE = 0.25
"""What a rebuild that was measured once may be off by, up or down: one figure does not tell how far the next would be
from it. A limit nearer than that is not decided by it.

A judgement: three rebuilds of 4 s on a busy machine were up to a third from their mean; longer ones differ less."""


def judge_rebuild(record: RebuildRecord, limit: RebuildLimit) -> Verdict:
    """The verdict on one limit. Inconclusive where the record cannot tell, with the reason."""
    return _largest_volume(record, limit) if limit.kind == "largest_volume" else _foreground(record, limit)


def unjudged(record: RebuildRecord) -> Verdict:
    """No verdict: the tier has no limit on rebuilds of this pattern. The reason holds what was measured."""
    return not_judged(
        verdict_id(record.storage_class, record.pattern, "rebuild", "none"),
        storage_class=record.storage_class,
        profile=record.pattern,
        reason=f"{record.pattern} on {record.storage_class}: measured ({arithmetic(record)}), not judged: the tier has "
        "no limit for this pattern; to judge it add one under rebuild: largest_volume:",
    )


def arithmetic(record: RebuildRecord, *, beside: float | None = None) -> str:
    """`rebuilt 2 GiB in 31 s (measured once, to within 1 s); in 24 h that is 5.444 TiB`

    Tries that failed meanwhile are counted, for the time is theirs too.
    """
    took = format_quantity(record.seconds, unit="s")
    exact = format_quantity(max(each.uncertainty_s for each in record.rebuilds), unit="s")
    times = "measured once" if len(record.rebuilds) == 1 else f"mean of {len(record.rebuilds)} rebuilds"
    failures = sum(len(each.failures) for each in record.rebuilds)
    which = "try that failed" if failures == 1 else "tries that failed"
    tried = f", with {failures} {which}" if failures else ""
    largest = record.largest_volume
    figure = format_quantity(largest.mean, unit="B", beside=beside)
    if largest.low is not None and largest.high is not None:
        edges = (format_quantity(each, unit="B", beside=beside) for each in (largest.low, largest.high))
        figure += f" ({record.confidence * 100:.4g}% CI {' to '.join(edges)})"
    divided = f", divided by {record.snapshots} snapshots," if record.snapshots > 1 else ""
    return (
        f"rebuilt {format_quantity(record.size, unit='B')} in {took} ({times}, to within {exact}{tried}); "
        f"in {format_quantity(record.time_limit_s, unit='s')}{divided} that is {figure}"
    )


def _largest_volume(record: RebuildRecord, limit: RebuildLimit) -> Verdict:
    found = record.largest_volume
    slowest, fastest = _as_timed(record)
    interval = None if found.low is None or found.high is None else (found.low, found.high)
    low, high = interval or (found.mean / (1 + ONCE), found.mean * (1 + ONCE))
    status = decide(min(low, slowest), max(high, fastest), at_least=limit.value)
    because = {
        "pass": "",
        "fail": f": {limit.because.rstrip('.')}",
        "inconclusive": f", {_left_open(record, limit)}",
    }[status]
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=found.mean,
        interval=interval,
        unit="B",
        confidence=record.confidence,
        status=status,
        reason=f"{limit.pattern} on {record.storage_class}: {arithmetic(record, beside=limit.value)}; wanted "
        f"{limit.wanted}{because}.",
    )


def _as_timed(record: RebuildRecord) -> tuple[float, float]:
    """The largest volume if every rebuild took as long as its uncertainty allows, and if it took as short.

    A rebuild that was seen no longer than its uncertainty may have taken any time, however short.
    """
    timed = list(zip(record.rebuilds, record.largest_volume.batches, strict=True))
    slowest = fmean(size * each.seconds / (each.seconds + each.uncertainty_s) for each, size in timed)
    shortest = [each.seconds - each.uncertainty_s for each in record.rebuilds]
    if min(shortest) <= 0.0:
        return slowest, math.inf
    return slowest, fmean(size * each.seconds / least for (each, size), least in zip(timed, shortest, strict=True))


def _left_open(record: RebuildRecord, limit: RebuildLimit) -> str:
    """Why that limit is not decided, and what would decide it."""
    slowest, fastest = _as_timed(record)
    if slowest < limit.value <= fastest:
        edge = format_quantity(slowest, unit="B", beside=limit.value)
        other = "" if math.isinf(fastest) else f" to {format_quantity(fastest, unit='B', beside=limit.value)}"
        reach = f"{edge}{other or ' and more'}"
        return f"which the measured times cannot decide ({reach}); a larger --storage-rebuild-size would decide it"
    more = "more rebuilds (--storage-rebuild-repeats) would decide it"
    if record.largest_volume.low is None:
        return f"too near to be decided by one rebuild, which may be off by {100 * ONCE:.0f} %; {more}"
    return f"which lies within that; {more}"


def _foreground(record: RebuildRecord, limit: RebuildLimit) -> Verdict:
    before, during = _figures(record, limit)
    ratio = None
    if record.foreground is not None and before is not None and during is not None:
        correlation = correlation_of_batches(record.foreground.batch_s)
        ratio = independent_ratio(during.batches, before.batches, confidence=record.confidence, correlation=correlation)
    status: Decision = "inconclusive"
    if ratio is not None:
        status = decide(ratio.low, ratio.high, **{limit.side: limit.value})
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=None if ratio is None else ratio.mean,
        interval=None if ratio is None else (ratio.low, ratio.high),
        unit="ratio",
        confidence=record.confidence,
        status=status,
        reason=_foreground_reason(record, limit, before, during, ratio, status),
    )


def _figures(record: RebuildRecord, limit: RebuildLimit) -> tuple[Figure | None, Figure | None]:
    load = record.foreground
    if load is None:
        return None, None
    if limit.kind == "foreground_iops":
        return load.iops_before, load.iops_during
    return load.p99_before_s, load.p99_during_s


def _foreground_reason(
    record: RebuildRecord,
    limit: RebuildLimit,
    before: Figure | None,
    during: Figure | None,
    ratio: Interval | None,
    status: Decision,
) -> str:
    subject = f"{limit.metric} of synchronous writes on {record.storage_class} ({limit.pattern})"
    if before is None or during is None:
        lost = record.foreground_missing or "in some part of it none was completed"
        return f"{subject} is not known before or during the rebuild: {lost}; so it cannot be judged."
    unit = "1/s" if limit.kind == "foreground_iops" else "s"
    was, is_ = (format_quantity(each.mean, unit=unit) for each in (before, during))  # type: ignore[arg-type]
    told = f"{subject} was {was} before the rebuild and {is_} during it"
    if ratio is None:
        return (
            f"{told}; the load stalled, or the rebuild was over too soon for a confidence interval; a larger "
            "--storage-rebuild-size would decide it."
        )
    mean, low, high = (format_quantity(value, unit="ratio", beside=limit.value) for value in ratio)
    lies = held_against(
        status,
        limit.wanted,
        because=limit.because,
        left_open="a larger --storage-rebuild-size or more repeats would decide it",
    )
    return f"{told}, {mean} ({record.confidence * 100:.4g}% CI {low} to {high}), {lies}."
