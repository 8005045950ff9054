"""A metric of this run + the same of earlier runs + limit -> verdict and trend. Pure.

A regression rule asks for evidence of harm: it fails where the metric has become worse than the accepted level by more
than the margin, and noise cannot be the reason, and passes otherwise. docs/history.md says why, and how often it is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from acceptance.judging.history.comparing import Comparison, compare
from acceptance.judging.outcome import outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.history import ChangePoint, TrendPoint, TrendRecord, TrendStatus
from acceptance.results.requirement import Outcome

NIGHTLY_ERROR = 0.0025
"""The chance, over all limits on all classes, that noise alone has a night told.

Less than the promise of one night in a hundred: a night that was told is told again until the level is back.
"""
KEPT_POINTS = 45
"""earlier runs that the results hold for the report's picture"""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What the history says of a metric: for the exit status, and for the report.

    `alone`: worse than allowed, beyond noise, for the first time: no failure yet, but to be told.
    """

    verdict: Verdict
    trend: TrendRecord
    alone: bool


def judge_history(
    points: Sequence[TrendPoint],
    this: TrendPoint | None,
    limit: Limit,
    *,
    limits: int,
    storage_class: str,
    accepted: int = 0,
    others: int = 0,
) -> Judged:
    """The verdict on one limit. `points`: the metric in earlier runs of its series, oldest first, all above zero.

    `this` is None where this run did not measure it. `limits`: on how many limits of all classes together the chance
    of a false alarm is spread. `accepted`: which of the points is the first of the accepted level. `others`: runs of
    the class and profile that cannot be compared.
    """
    since = points[accepted:]
    status: TrendStatus
    comparison: Comparison | None = None
    if len(since) >= limit.at["runs"] and this is not None and this.mean > 0.0:
        comparison = compare(since, this, limit, error=NIGHTLY_ERROR / limits)
        status = "pass" if comparison.fall is None else "fail"
        found = _compared(comparison, this)
    else:
        status = "skipped" if len(since) < limit.at["runs"] else "inconclusive"
        found = _not_compared(len(since), this, limit, before=accepted, others=others)
    return Judged(
        verdict=outcome(
            limit,
            storage_class=storage_class,
            status=status,
            found=found,
            measured=None if comparison is None else comparison.ratio,
            applies=status != "skipped",  # there is no level yet
        ),
        trend=_trend(points, this, limit, comparison, storage_class=storage_class, status=status),
        alone=comparison is not None and comparison.alone,
    )


def _not_compared(earlier: int, this: TrendPoint | None, limit: Limit, *, before: int, others: int) -> Outcome:
    """Why there is no comparison.

    `earlier`: runs of the accepted level and since; `before`: older ones; `others`: runs that cannot be compared.
    """
    if earlier < limit.at["runs"]:
        return Outcome(code="history.too_few_runs", facts={"earlier": earlier, "before": before, "others": others})
    return Outcome(code="history.no_value" if this is None else "history.stalled")


def _compared(comparison: Comparison, this: TrendPoint) -> Outcome:
    """What was found, how sure that is, and what follows from it."""
    low, high = comparison.expected
    facts: dict[str, JsonValue] = {
        "value": this.mean,
        "level": comparison.level,
        "level_from": _day(comparison.first),
        "expected_low": low,
        "expected_high": high,
    }
    if comparison.fall is not None:
        return Outcome(code="history.worse", facts={**facts, "since": _since(comparison.fall)})
    if comparison.alone:
        return Outcome(code="history.worse_once", facts=facts)
    facts["smallest_in_two"] = comparison.smallest_fall(week=False)
    facts["smallest_in_week"] = comparison.smallest_fall(week=True)
    if comparison.rise is not None:
        facts["better_since"] = _since(comparison.rise)
    return Outcome(code="history.not_worse", facts=facts)


def _since(change: ChangePoint) -> dict[str, JsonValue]:
    """`ratio`: the new level as a multiple of the accepted one."""
    return {"run": change.run, "date": _day(change), "ratio": 1.0 + change.change}


def _day(of: TrendPoint | ChangePoint) -> str:
    return of.date.date().isoformat()


def _trend(
    points: Sequence[TrendPoint],
    this: TrendPoint | None,
    limit: Limit,
    comparison: Comparison | None,
    *,
    storage_class: str,
    status: TrendStatus,
) -> TrendRecord:
    record = TrendRecord(
        storage_class=storage_class,
        profile=limit.profile,
        metric=limit.path,
        unit=limit.metric.unit,
        higher_is_better=limit.metric.higher_is_better,
        margin=limit.at["margin"],
        points=list(points[-KEPT_POINTS:]),
        this_run=this,
        status=status,
    )
    if comparison is None:
        return record
    low, high = comparison.expected
    return record.model_copy(
        update={
            "compared_with": int(limit.at["runs"]),
            "level_from": comparison.first.run,
            "typical": comparison.level,
            "expected_low": comparison.level * low,
            "expected_high": comparison.level * high,
            "change_point": comparison.fall or comparison.rise,
        }
    )
