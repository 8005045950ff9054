"""The verdict on a measurement and its limit. Pure: nothing is measured here; the same input gives the same verdict.

A verdict requires certainty: the whole confidence interval must lie on one side of the limit. A value that is missing
or not a number is never judged: the verdict is inconclusive, and contains no NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Estimate, Verdict
from acceptance.results.requirement import Decision, Outcome
from acceptance.statistics.ratios import Ratio


@dataclass(frozen=True, kw_only=True)
class Caution:
    """Extra requirements on a verdict that is based on little load; by default none."""

    beyond: float = 1.0
    """The factor by which the whole interval must lie beyond the limit; if infinite, only `longest` can decide."""
    may_pass: bool = True
    """False if the load was too short for a pass; the verdict is then inconclusive instead."""
    may_fail: bool = True
    """False if storage may still become faster; the verdict is then inconclusive instead."""


_USUAL = Caution()


@dataclass(frozen=True, kw_only=True)
class VisitFacts:
    """The differences between the visits of storage that is not steady.

    `figures`: the value of each visit. `deviation`: the standard deviation between visits, as a share of the mean.
    """

    figures: Sequence[float]
    deviation: float


def decide_limit(estimate: Estimate | None, limit: Limit, *, caution: Caution = _USUAL) -> Decision:
    """Return the decision of `judge` on a limit, without its words."""
    return _limit_case(estimate, limit).decision(caution)


def judge(
    estimate: Estimate | None,
    limit: Limit,
    *,
    storage_class: str,
    remark: str = "",
    caution: Caution = _USUAL,
    visits: VisitFacts | None = None,
) -> Verdict:
    """Return the verdict on one limit; `estimate` is None if the measurement does not have the metric.

    `remark`: a clause with an observation that may explain the verdict. It is added to the reason if the interval is
    outside the limit or contains it (outcomes `outside` and `on_both_sides`), else ignored.
    `caution`: for early interim analyses. `visits`: their differences, if the storage is not steady.
    Raise ValueError if the units of estimate and limit differ: that is an error of the caller.
    """
    case = _limit_case(estimate, limit)
    return _verdict(case, caution, storage_class=storage_class, remark=remark, visits=visits)


def decide_comparison(ratio: Ratio, rule: Limit, *, caution: Caution = _USUAL) -> Decision:
    """Return the decision of `judge_comparison` on a rule, without its words."""
    return _comparison_case(ratio, rule).decision(caution)


def judge_comparison(
    ratio: Ratio,
    rule: Limit,
    *,
    storage_class: str,
    baseline_class: str,
    remark: str = "",
    caution: Caution = _USUAL,
) -> Verdict:
    """Return the verdict on one comparison rule: fail if the candidate certainly differs by more than the margin.

    `ratio` is candidate / baseline. Without a value (a class stalled) the verdict is inconclusive and states why.
    `remark`: as in `judge`, a clause with further evidence of the cause, and what to do.
    """
    case, problem = _comparison_case(ratio, rule), ratio.problem or "the measurement gave no ratio"
    return _verdict(case, caution, storage_class=storage_class, problem=problem, baseline=baseline_class, remark=remark)


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A limit or comparison rule, with the measured value."""

    limit: Limit
    value: float | None
    span: tuple[float, float] | None
    """The confidence interval; None if the value is None or the interval is unknown."""
    confidence: float

    @property
    def is_of_an_event(self) -> bool:
        """Return whether the value is one observed extreme (`longest`), so it has no confidence level."""
        return self.limit.metric.statistic == "longest"

    def decision(self, caution: Caution) -> Decision:
        """Return the decision by the interval, as far as the load allows.

        `beyond` does not apply to an observed extreme, whose value is exact so far; `may_pass` does, because a longer
        one may follow.
        """
        if self.span is None:
            return "inconclusive"
        beyond = 1.0 if self.is_of_an_event else caution.beyond
        status = self.lies(*self.span, beyond=beyond)
        if (status == "pass" and not caution.may_pass) or (status == "fail" and not caution.may_fail):
            return "inconclusive"
        return status

    def lies(self, low: float, high: float, *, beyond: float = 1.0) -> Decision:
        """Return the result of `decide` for this limit."""
        return decide(low, high, **{self.limit.operator: self.limit.bound}, beyond=beyond)


def _limit_case(estimate: Estimate | None, limit: Limit) -> _Case:
    """Return the case of a limit. Raise ValueError if the estimate is in another unit than the limit."""
    if estimate is not None and estimate.unit != limit.unit:
        raise ValueError(f"expected {limit.path} in {limit.unit}, found {estimate.unit}")
    value = None if estimate is None else _number(estimate.mean)
    return _Case(
        limit=limit,
        value=value,
        span=None if estimate is None or value is None else _span(estimate.low, estimate.high),
        confidence=0.0 if estimate is None else estimate.confidence,
    )


def _comparison_case(ratio: Ratio, rule: Limit) -> _Case:
    value = _number(ratio.value)
    return _Case(
        limit=rule,
        value=value,
        span=None if value is None else _span(ratio.low, ratio.high),
        confidence=ratio.confidence,
    )


def _verdict(
    case: _Case,
    caution: Caution,
    *,
    storage_class: str,
    problem: str = "",
    baseline: str = "",
    remark: str,
    visits: VisitFacts | None = None,
) -> Verdict:
    """Return the verdict on a case. `problem`: why there is no value; `baseline`: the class of a comparison."""
    status = case.decision(caution)
    facts: dict[str, JsonValue] = {"baseline": baseline, "problem": problem, "remark": remark}
    code, fact_names = _code(case, status)
    if code == "on_both_sides" and visits is not None:
        code, fact_names = "unsteady", ("visits", "deviation", "remark")
        facts |= {"visits": list(visits.figures), "deviation": visits.deviation}
    return outcome(
        case.limit,
        storage_class=storage_class,
        status=status,
        finding=Outcome(code=f"limit.{code}", facts={name: facts[name] for name in fact_names if facts[name]}),
        value=case.value,
        interval=case.span,
        confidence=None if case.is_of_an_event else case.confidence,
    )


def _code(case: _Case, status: Decision) -> tuple[str, tuple[str, ...]]:
    """Return the code of the outcome, and the names of its facts."""
    if case.value is None:
        return "no_value", ("baseline", "problem")
    if case.span is None:
        return "too_few_samples", ("baseline",)
    if status != case.lies(*case.span):
        return "too_short", ("baseline",)
    if status == "pass":
        return "within", ("baseline",)
    return "outside" if status == "fail" else "on_both_sides", ("baseline", "remark")


def _number(value: float | None) -> float | None:
    """Return `value` if it can be judged, else None: rates, times and ratios are finite and never negative."""
    return value if value is not None and math.isfinite(value) and value >= 0.0 else None


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    ends = _number(low), _number(high)
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
