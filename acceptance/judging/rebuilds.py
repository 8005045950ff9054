"""Rebuild record + limit -> verdict. Pure; the outcome holds the figures that the verdict rests on."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome, verdict_id, without_limit
from acceptance.judging.rebuild_size import (
    ONCE,
    by_timing,
    decide_size,
    grows_faster,
    is_timed,
    least_size,
    project_seconds,
    seconds_of,
    through,
)
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord, RebuildTimes, TimedSize
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import Interval, correlation_of_batches
from acceptance.statistics.ratios import independent_ratio

Facts = dict[str, JsonValue]


def judge_rebuild(record: RebuildRecord, limit: Limit) -> Verdict:
    """Return the verdict on one limit. Inconclusive, with the reason, if the record does not decide it."""
    return _largest_volume(record, limit) if limit.rule == "largest_volume" else _foreground(record, limit)


def skip_judging(record: RebuildRecord) -> Verdict:
    """Return a skipped verdict: the tier has no limit on rebuilds of this pattern. The facts hold the figures."""
    return without_limit(
        verdict_id(record.storage_class, record.pattern, "rebuild", "none"),
        storage_class=record.storage_class,
        profile=record.pattern,
        finding=Outcome(code="rebuilds.unlimited", facts=_times(record)),
    )


def times_of(record: RebuildRecord) -> RebuildTimes:
    """Return the measured times, and the largest volume that follows from them."""
    smaller = [] if record.smaller is None else [(record.smaller.size, record.smaller.rebuilds)]
    sizes = [*smaller, (record.size, record.rebuilds)]
    rebuilds = [repeat for _, repeats in sizes for repeat in repeats]
    line, largest, has_times = through(record), record.largest_volume, is_timed(record)
    return RebuildTimes(
        sizes=[
            TimedSize(size=size, seconds=sum(repeat.seconds for repeat in repeats) / len(repeats))
            for size, repeats in sizes
        ],
        repeats=len(record.rebuilds),
        uncertainty_s=max(rebuild.uncertainty_s for rebuild in rebuilds),
        failures=sum(len(rebuild.failures) for rebuild in rebuilds),
        snapshots=record.snapshots,
        time_limit_s=record.time_limit_s,
        start_up_s=line.start_up_s if smaller else None,
        pace=line.pace if smaller else None,
        grows_faster=grows_faster(record),
        largest=largest.mean if has_times else None,
        low=largest.low if has_times else None,
        high=largest.high if has_times else None,
        confidence=record.confidence,
        at_least=None if has_times else least_size(record),
    )


def _times(record: RebuildRecord) -> Facts:
    return {"times": times_of(record).model_dump(mode="json", exclude_none=True)}


def _largest_volume(record: RebuildRecord, limit: Limit) -> Verdict:
    size, status = record.largest_volume, decide_size(record, limit.bound)
    would_take = project_seconds(record, limit.bound)
    facts = _times(record) | ({} if would_take is None else {"would_take_s": list(would_take)})
    code, more = _left_open(record, limit) if status == "inconclusive" else (LIES[status], {})
    return outcome(
        limit,
        storage_class=record.storage_class,
        value=size.mean if is_timed(record) else None,
        interval=None if not is_timed(record) or size.low is None or size.high is None else (size.low, size.high),
        confidence=record.confidence,
        status=status,
        finding=Outcome(code=f"rebuilds.{code}", facts={**facts, **more}),
    )


def _left_open(record: RebuildRecord, limit: Limit) -> tuple[str, Facts]:
    """Return the code of why the limit is undecided, and the facts of that code."""
    if seconds_of(record, limit.bound) is None:
        return "larger_took_no_longer", {}
    least, most = by_timing(record, limit.bound * record.snapshots)
    if least <= record.time_limit_s < most:
        return "inexact_times", _between(record, limit, least, most)
    if grows_faster(record) and most <= record.time_limit_s:
        return "slower_by_size", {}
    return ("measured_once", {"off_by": ONCE}) if len(record.rebuilds) == 1 else ("on_both_sides", {})


def _between(record: RebuildRecord, limit: Limit, least: float, most: float) -> Facts:
    """Return the bounds of the time of the limit's volume; from one size, the bounds of the largest volume."""
    if record.smaller is not None:
        return {"between_s": [max(0.0, least), most]}
    high = limit.bound * record.time_limit_s / least if least > 0.0 else None
    return {"between_bytes": [limit.bound * record.time_limit_s / most, high]}


def _foreground(record: RebuildRecord, limit: Limit) -> Verdict:
    before, during = _figures(record, limit)
    ratio = None
    if record.foreground is not None and before is not None and during is not None:
        correlation = correlation_of_batches(record.foreground.batch_s)
        ratio = independent_ratio(during.batches, before.batches, confidence=record.confidence, correlation=correlation)
    status: Decision = "inconclusive"
    if ratio is not None:
        status = decide(ratio.low, ratio.high, **{limit.operator: limit.bound})
    return outcome(
        limit,
        storage_class=record.storage_class,
        value=None if ratio is None else ratio.mean,
        interval=None if ratio is None else (ratio.low, ratio.high),
        confidence=record.confidence,
        status=status,
        finding=_foreground_found(record, before, during, ratio, status),
    )


def _figures(record: RebuildRecord, limit: Limit) -> tuple[Figure | None, Figure | None]:
    load = record.foreground
    if load is None:
        return None, None
    if limit.rule == "foreground_iops":
        return load.iops_before, load.iops_during
    return load.p99_before_s, load.p99_during_s


def _foreground_found(
    record: RebuildRecord, before: Figure | None, during: Figure | None, ratio: Interval | None, status: Decision
) -> Outcome:
    if before is None or during is None:
        missing: Facts = {"missing": record.foreground_missing} if record.foreground_missing else {}
        return Outcome(code="rebuilds.foreground_unknown", facts=missing)
    name = "too_short" if ratio is None else LIES[status]
    return Outcome(code=f"rebuilds.foreground_{name}", facts={"before": before.mean, "during": during.mean})
