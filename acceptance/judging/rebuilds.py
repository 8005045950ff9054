"""Rebuild record + limit -> verdict. Pure; every reason carries the arithmetic that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.judging.outcome import decide, held_against, not_judged, outcome, verdict_id
from acceptance.judging.rebuild_size import (
    ONCE,
    as_timed,
    decide_size,
    grows_faster,
    is_timed,
    least_size,
    seconds_of,
    through,
)
from acceptance.limits.rebuilds import RebuildLimit
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.results.requirement import Decision
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import Interval, correlation_of_batches
from acceptance.statistics.ratios import independent_ratio
from acceptance.text.quantities import format_quantity


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

    Of two sizes: `rebuilt 5 GiB in 18 s and 20 GiB in 63 s (each measured once, to within 1 s): 3 s to begin and then
    341.3 MiB/s; in 24 h that is 28.12 TiB`. Of a rebuild that was over before it was timed: `that is not known, but at
    least 987.3 GiB`. Tries that failed meanwhile are counted, for the time is theirs too.
    """
    divided = f", divided by {record.snapshots} snapshots," if record.snapshots > 1 else ""
    limit = format_quantity(record.time_limit_s, unit="s")
    return f"rebuilt {_timed(record)}; in {limit}{divided} that is {_largest(record, beside)}"


def _largest(record: RebuildRecord, beside: float | None) -> str:
    """`5.444 TiB (98% CI 5.1 TiB to 5.9 TiB)`; `not known, but at least 987.3 GiB`"""
    if not is_timed(record):
        least = least_size(record)
        return "not known" if least is None else f"not known, but at least {format_quantity(least, unit='B')}"
    largest = record.largest_volume
    figure = format_quantity(largest.mean, unit="B", beside=beside)
    if largest.low is None:
        return figure
    low = format_quantity(largest.low, unit="B", beside=beside)
    most = "no bound" if largest.high is None else format_quantity(largest.high, unit="B", beside=beside)
    return f"{figure} ({record.confidence * 100:.4g}% CI {low} to {most})"


def _timed(record: RebuildRecord) -> str:
    """`2 GiB in 31 s (measured once, to within 1 s)`"""
    rebuilds, smaller = record.rebuilds, record.smaller
    sizes = _size_in(record.size, record.rebuilds)
    if smaller is not None:
        rebuilds = [*smaller.rebuilds, *rebuilds]
        sizes = f"{_size_in(smaller.size, smaller.rebuilds)} and {sizes}"
    often = len(record.rebuilds)
    if smaller is None:
        times = "measured once" if often == 1 else f"mean of {often} rebuilds"
    else:
        times = "each measured once" if often == 1 else f"means of {often} rebuilds each"
    exact = format_quantity(max(one.uncertainty_s for one in rebuilds), unit="s")
    failures = sum(len(one.failures) for one in rebuilds)
    which = "try that failed" if failures == 1 else "tries that failed"
    tried = f", with {failures} {which}" if failures else ""
    return f"{sizes} ({times}, to within {exact}{tried}){_line(record)}"


def _size_in(size: int, rebuilds: Sequence[TimedRebuild]) -> str:
    seconds = sum(each.seconds for each in rebuilds) / len(rebuilds)
    return f"{format_quantity(size, unit='B')} in {format_quantity(seconds, unit='s')}"


def _line(record: RebuildRecord) -> str:
    """`: 3 s to begin and then 341.3 MiB/s`, where two sizes tell."""
    if record.smaller is None:
        return ""
    line = through(record)
    if line.pace <= 0.0:
        return ": the larger took no longer, so other sizes cannot be calculated from both, and only the larger counts"
    rate = format_quantity(1 / line.pace, unit="B/s")
    if grows_faster(record):
        return f": the larger took more time per byte, {rate} between both"
    begin = format_quantity(line.start_up_s, unit="s") if line.start_up_s > 0.0 else "no time that can be seen"
    return f": {begin} to begin and then {rate}"


def projected(record: RebuildRecord, size: float) -> str | None:
    """`1 TiB would take 51.2 min (41 min to 64 min)`, from two sizes; None where they do not tell."""
    found = seconds_of(record, size)
    if record.smaller is None or found is None:
        return None
    mean, low, high = (format_quantity(max(0.0, each), unit="s") for each in found)
    return f"{format_quantity(size, unit='B')} would take {mean} ({low} to {high})"


def _largest_volume(record: RebuildRecord, limit: RebuildLimit) -> Verdict:
    found, status = record.largest_volume, decide_size(record, limit.value)
    because = {
        "pass": "",
        "fail": f": {limit.because.rstrip('.')}",
        "inconclusive": f", {_left_open(record, limit)}",
    }[status]
    told = projected(record, limit.value)
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=found.mean if is_timed(record) else None,
        interval=None if not is_timed(record) or found.low is None or found.high is None else (found.low, found.high),
        unit="B",
        confidence=record.confidence,
        status=status,
        reason=f"{limit.pattern} on {record.storage_class}: {arithmetic(record, beside=limit.value)}; "
        f"{f'{told}; ' if told else ''}wanted {limit.wanted}{because}.",
    )


def _left_open(record: RebuildRecord, limit: RebuildLimit) -> str:
    """Why that limit is not decided, and what would decide it."""
    larger = "a larger --storage-rebuild-size would decide it"
    if seconds_of(record, limit.value) is None:
        return f"which these two sizes cannot show, since the larger took no longer; {larger}"
    least, most = as_timed(record, limit.value * record.snapshots)
    if least <= record.time_limit_s < most:
        return f"which the measured times cannot decide ({_open(record, limit, least, most)}); {larger}"
    if grows_faster(record) and most <= record.time_limit_s:
        return f"and larger volumes may be slower still; {larger}"
    more = "more rebuilds (--storage-rebuild-repeats) would decide it"
    if len(record.rebuilds) == 1:
        one = "one rebuild" if record.smaller is None else "one rebuild of each size"
        return f"too near to be decided by {one}, which may be off by {100 * ONCE:.0f} %; {more}"
    return f"which lies within that; {more}"


def _open(record: RebuildRecord, limit: RebuildLimit, least: float, most: float) -> str:
    """`3.59 TiB to 11.25 TiB`; of two sizes, between which times the volume of the limit may lie."""
    if record.smaller is not None:
        return f"{format_quantity(max(0.0, least), unit='s')} to {format_quantity(most, unit='s')}"
    low = format_quantity(limit.value * record.time_limit_s / most, unit="B", beside=limit.value)
    if least <= 0.0:
        return f"{low} and more"
    return f"{low} to {format_quantity(limit.value * record.time_limit_s / least, unit='B', beside=limit.value)}"


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
    mean, low, high = (limit.shown(value, beside=limit.value) for value in ratio)
    kept = f"{mean} of that before" if limit.kind == "foreground_iops" else mean
    lies = held_against(
        status,
        limit.wanted,
        because=limit.because,
        left_open="a larger --storage-rebuild-size or more repeats would decide it",
    )
    return f"{told}, {kept} ({record.confidence * 100:.4g}% CI {low} to {high}), {lies}."
