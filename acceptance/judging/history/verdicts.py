"""A metric of this run + the same of earlier runs + limit -> verdict and trend. Pure.

A regression rule asks for evidence of harm: it fails where the metric is worse than before by more than the margin and
noise cannot be the reason, and passes otherwise. docs/history.md says why, and how often it is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.judging.history.comparing import Comparison, compare
from acceptance.judging.history.wording import compared, not_compared
from acceptance.judging.outcome import outcome
from acceptance.limits.history import FEWEST_RUNS, KEPT_RUNS, HistoryLimit
from acceptance.results.document import Verdict
from acceptance.results.history import TrendPoint, TrendRecord, TrendStatus

NIGHTLY_ERROR = 0.01
"""The chance, over all limits on all classes, that a run in which nothing has changed fails for a regression."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What the history says of a metric: for the exit status, and for the report."""

    verdict: Verdict
    trend: TrendRecord


def judge_history(
    points: Sequence[TrendPoint],
    this: TrendPoint | None,
    limit: HistoryLimit,
    *,
    limits: int,
    storage_class: str,
    others: int = 0,
) -> Judged:
    """The verdict on one limit. `points`: the metric in earlier runs of its series, oldest first, all above zero.

    `this` is None where this run did not measure it. `limits`: on how many limits of all classes together the chance
    of a false alarm is spread. `others`: runs of the class and profile that cannot be compared.

    Of a limit's share of NIGHTLY_ERROR one half is for this run by itself, the other for a change of level in which
    it takes part: each is one side of an interval, or of a test, of that share.
    """
    points = points[-KEPT_RUNS:]
    status: TrendStatus
    comparison: Comparison | None = None
    if len(points) >= FEWEST_RUNS and this is not None and this.mean > 0.0:
        comparison = compare(points, this, limit, error=NIGHTLY_ERROR / limits)
        status = "fail" if comparison.regressed or comparison.fell else "pass"
        reason = compared(comparison, this)
    else:
        status = "skipped" if len(points) < FEWEST_RUNS else "inconclusive"
        reason = not_compared(len(points), this, others=others)
    subject = f"{limit.metric} of {limit.profile} on {storage_class}"
    return Judged(
        verdict=outcome(
            limit,
            storage_class=storage_class,
            status=status,
            reason=f"{subject} {reason}.",
            measured=None if comparison is None else comparison.ratio,
            interval=None if comparison is None else (comparison.low, comparison.high),
            unit="ratio",
            confidence=None if comparison is None else 1.0 - comparison.error,
        ),
        trend=_trend(points, this, limit, comparison, storage_class=storage_class, status=status),
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
    expected = None if comparison is None else comparison.expected
    return TrendRecord(
        storage_class=storage_class,
        profile=limit.profile,
        metric=limit.metric.path,
        unit=limit.metric.unit,
        higher_is_better=limit.metric.higher_is_better,
        margin=limit.margin,
        points=list(points),
        this_run=this,
        compared_with=0 if expected is None else expected.runs,
        typical=None if expected is None else math.exp(expected.middle),
        expected_low=None if expected is None else math.exp(expected.middle - expected.reach),
        expected_high=None if expected is None else math.exp(expected.middle + expected.reach),
        change_point=None if comparison is None else comparison.change_point,
        status=status,
    )
