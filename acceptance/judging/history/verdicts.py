"""A metric of this run + the same metric of earlier runs + limit -> verdict and trend. Pure.

A regression rule requires evidence of harm: it fails if the metric has become worse than the accepted level by more
than the margin, and noise cannot be the reason, and passes otherwise. docs/history.md explains why, and how often it
is wrong.
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
"""The chance, over all limits on all classes, that noise alone reports a night.

Less than the promise of one night in a hundred: a reported night is reported again until the level is back.
"""
KEPT_POINTS = 45
"""Earlier runs that the results hold for the report's picture."""


@dataclass(frozen=True, kw_only=True)
class HistoryVerdict:
    """The judgment of a metric by its history: for the exit status, and for the report.

    `alone`: worse than allowed, beyond noise, for the first time: no failure yet, but a warning.
    """

    verdict: Verdict
    trend: TrendRecord
    alone: bool


def judge_history(
    points: Sequence[TrendPoint],
    this_run: TrendPoint | None,
    limit: Limit,
    *,
    limits: int,
    storage_class: str,
    accepted_from: int = 0,
    incomparable_runs: int = 0,
) -> HistoryVerdict:
    """Return the verdict on one limit. `points`: the metric in earlier runs of its series, oldest first, above zero.

    `this_run`: None if this run did not measure it. `limits`: the number of limits of all classes that share the chance
    of a false alarm. `accepted_from`: the index of the accepted level's first point. `incomparable_runs`: the number of
    runs of the class and profile that cannot be compared.
    """
    since = points[accepted_from:]
    status: TrendStatus
    comparison: Comparison | None = None
    if len(since) >= limit.at["runs"] and this_run is not None and this_run.mean > 0.0:
        comparison = compare(since, this_run, limit, error=NIGHTLY_ERROR / limits)
        status = "pass" if comparison.fall is None else "fail"
        finding = _describe(comparison, this_run)
    else:
        status = "skipped" if len(since) < limit.at["runs"] else "inconclusive"
        finding = _explain_missing(
            len(since), this_run, limit, before=accepted_from, incomparable_runs=incomparable_runs
        )
    return HistoryVerdict(
        verdict=outcome(
            limit,
            storage_class=storage_class,
            status=status,
            finding=finding,
            value=None if comparison is None else comparison.ratio,
            applies=status != "skipped",  # there is no level yet
        ),
        trend=_trend(points, this_run, limit, comparison, storage_class=storage_class, status=status),
        alone=comparison is not None and comparison.alone,
    )


def _explain_missing(
    earlier: int, this_run: TrendPoint | None, limit: Limit, *, before: int, incomparable_runs: int
) -> Outcome:
    """Return why there is no comparison.

    `earlier`: number of runs of the accepted level and since; `before`: of older runs.
    """
    if earlier < limit.at["runs"]:
        return Outcome(
            code="history.too_few_runs", facts={"earlier": earlier, "before": before, "others": incomparable_runs}
        )
    return Outcome(code="history.no_value" if this_run is None else "history.stalled")


def _describe(comparison: Comparison, this_run: TrendPoint) -> Outcome:
    """Return the outcome of a comparison: the level, the range that noise explains, and the change."""
    low, high = comparison.expected
    facts: dict[str, JsonValue] = {
        "value": this_run.mean,
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
    """Return the facts of a change. `ratio`: the new level as a multiple of the accepted level."""
    return {"run": change.run, "date": _day(change), "ratio": 1.0 + change.change}


def _day(of: TrendPoint | ChangePoint) -> str:
    return of.date.date().isoformat()


def _trend(
    points: Sequence[TrendPoint],
    this_run: TrendPoint | None,
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
        this_run=this_run,
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
