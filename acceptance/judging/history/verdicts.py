"""A metric of this run + the same of earlier runs + limit -> verdict and trend. Pure.

A regression rule asks for evidence of harm: it fails where the metric has become worse than the accepted level by more
than the margin, and noise cannot be the reason, and passes otherwise. docs/history.md says why, and how often it is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.judging.history.comparing import Comparison, compare
from acceptance.judging.history.wording import compared, not_compared
from acceptance.judging.outcome import outcome
from acceptance.limits.history import HistoryLimit
from acceptance.results.document import Verdict
from acceptance.results.history import TrendPoint, TrendRecord, TrendStatus

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
    limit: HistoryLimit,
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
    if len(since) >= limit.runs and this is not None and this.mean > 0.0:
        comparison = compare(since, this, limit, error=NIGHTLY_ERROR / limits)
        status = "pass" if comparison.fall is None else "fail"
        reason = compared(comparison, this)
    else:
        status = "skipped" if len(since) < limit.runs else "inconclusive"
        reason = not_compared(len(since), this, limit, before=accepted, others=others)
    subject = f"{limit.metric} of {limit.profile} on {storage_class}"
    return Judged(
        verdict=outcome(
            limit,
            storage_class=storage_class,
            status=status,
            reason=f"{subject} {reason}.",
            measured=None if comparison is None else comparison.ratio,
            unit="ratio",
            applies=status != "skipped",  # there is no level yet
        ),
        trend=_trend(points, this, limit, comparison, storage_class=storage_class, status=status),
        alone=comparison is not None and comparison.alone,
    )


def _trend(
    points: Sequence[TrendPoint],
    this: TrendPoint | None,
    limit: HistoryLimit,
    comparison: Comparison | None,
    *,
    storage_class: str,
    status: TrendStatus,
) -> TrendRecord:
    record = TrendRecord(
        storage_class=storage_class,
        profile=limit.profile,
        metric=limit.metric.path,
        unit=limit.metric.unit,
        higher_is_better=limit.metric.higher_is_better,
        margin=limit.margin,
        points=list(points[-KEPT_POINTS:]),
        this_run=this,
        status=status,
    )
    if comparison is None:
        return record
    low, high = comparison.expected
    return record.model_copy(
        update={
            "compared_with": limit.runs,
            "level_from": comparison.first.run,
            "typical": comparison.level,
            "expected_low": comparison.level * low,
            "expected_high": comparison.level * high,
            "change_point": comparison.fall or comparison.rise,
        }
    )
