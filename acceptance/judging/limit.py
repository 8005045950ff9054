"""Measurement + limit -> verdict. Pure: nothing is measured here, and the same input gives the same verdict.

A verdict is certain or it is none: the whole confidence interval must lie on one side of the limit. A value that is
missing or no number is never judged: the verdict is inconclusive, and no NaN gets into it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from acceptance.judging.outcome import Decision, decide, held_against, in_words, outcome
from acceptance.limits.tiers import ComparisonRule, Limit, LimitKind
from acceptance.results.document import Estimate, Verdict
from acceptance.results.model import Unit
from acceptance.results.ratio_words import allowed, compared, compared_interval
from acceptance.statistics.ratios import Ratio
from acceptance.text.quantities import format_quantity

_LONGER = "a longer measurement would decide it"


@dataclass(frozen=True, kw_only=True)
class Caution:
    """What is asked of a verdict from so little load that much can still change; as it is, nothing more than usual."""

    beyond: float = 1.0
    """by what factor the whole interval must lie beyond the limit; infinite: nothing is decided but by an event"""
    may_pass: bool = True
    """whether the load was long enough to have shown what would not pass"""


_USUAL = Caution()


def decide_limit(estimate: Estimate | None, limit: Limit, *, caution: Caution = _USUAL) -> Decision:
    """What `judge` says of a limit, without its words."""
    return _limit_case(estimate, limit).decision(caution)


def judge(
    estimate: Estimate | None, limit: Limit, *, storage_class: str, remark: str = "", caution: Caution = _USUAL
) -> Verdict:
    """The verdict on one limit; `estimate` is None when the measurement does not have the metric.

    `remark`, a half sentence, is added to any reason but that of a pass: what was seen that may have caused it.
    `caution` is for what was looked at early.
    Raises ValueError when the estimate is in another unit than the limit: that is an error of the caller.
    """
    missing = "has no value in the measurement"
    return _verdict(_limit_case(estimate, limit), caution, storage_class=storage_class, missing=missing, remark=remark)


def decide_comparison(ratio: Ratio, rule: ComparisonRule, *, caution: Caution = _USUAL) -> Decision:
    """What `judge_comparison` says of a rule, without its words."""
    return _comparison_case(ratio, rule).decision(caution)


def judge_comparison(
    ratio: Ratio,
    rule: ComparisonRule,
    *,
    storage_class: str,
    baseline_class: str,
    remark: str = "",
    caution: Caution = _USUAL,
) -> Verdict:
    """The verdict on one comparison rule: fail when the candidate is certainly further off than the margin allows.

    `ratio` is candidate / baseline. Without a value (a class stalled) the verdict is inconclusive and says why.
    `remark`, a half sentence, is added to the reason of a failure: what else speaks for its cause, what to do.
    """
    missing = f"cannot be compared with {baseline_class}: {ratio.problem or 'the measurement gave no ratio'}"
    case = _comparison_case(ratio, rule)
    return _verdict(case, caution, storage_class=storage_class, missing=missing, baseline=baseline_class, remark=remark)


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A limit or a comparison rule and what was found, brought to one form."""

    requirement: Limit | ComparisonRule
    side: LimitKind
    bound: float
    unit: Unit | Literal["ratio"]
    value: float | None
    span: tuple[float, float] | None
    """None where the value is, too"""
    confidence: float

    @property
    def is_of_an_event(self) -> bool:
        """Whether what was found is no mean, and has no confidence: it happened."""
        return isinstance(self.requirement, Limit) and self.requirement.metric.statistic == "longest"

    def decision(self, caution: Caution) -> Decision:
        """What the interval says, as far as so much load can tell. An event that was seen is certain in any case."""
        if self.span is None:
            return "inconclusive"
        beyond = 1.0 if self.is_of_an_event else caution.beyond
        status = decide(*self.span, **{self.side: self.bound}, beyond=beyond)
        return "inconclusive" if status == "pass" and not caution.may_pass else status

    def shown(self, value: float) -> str:
        return format_quantity(value, unit=self.unit, beside=self.bound)

    def told(self, value: float, baseline: str) -> str:
        """`1,204 IOPS`, `11x slower than on local-path`; `baseline` is the empty text for a limit."""
        if not baseline:
            return self.shown(value)
        words = compared(value, str(self.requirement.metric), beside=self.bound)
        return f"{words} {'as' if value == 1.0 else 'than'} on {baseline}"

    def edges(self, baseline: str) -> str:
        """`1,131 IOPS to 1,281 IOPS`, `4x to 29x`"""
        assert self.value is not None and self.span is not None  # asked for only where there is one
        if not baseline:
            return " to ".join(map(self.shown, self.span))
        metric = str(self.requirement.metric)
        return compared_interval(*self.span, metric, ratio=self.value, beside=self.bound)

    def wanted(self, baseline: str) -> str:
        """`at least 750 IOPS`, `not faster than local-path by more than 20 %`"""
        if isinstance(self.requirement, ComparisonRule):
            rule, metric = self.requirement.kind, str(self.requirement.metric)
            return allowed(rule, metric, bound=self.bound, baseline=baseline)
        return f"{self.side.replace('_', ' ')} {format_quantity(self.bound, unit=self.unit)}"


def _limit_case(estimate: Estimate | None, limit: Limit) -> _Case:
    """Raises ValueError when the estimate is in another unit than the limit."""
    unit = limit.metric.unit
    if estimate is not None and estimate.unit != unit:
        raise ValueError(f"wanted {limit.metric} in {unit}, found {estimate.unit}")
    value = None if estimate is None else _number(estimate.mean)
    return _Case(
        requirement=limit,
        side=limit.kind,
        bound=limit.value,
        unit=unit,
        value=value,
        span=None if estimate is None or value is None else _span(estimate.low, estimate.high),
        confidence=0.0 if estimate is None else estimate.confidence,
    )


def _comparison_case(ratio: Ratio, rule: ComparisonRule) -> _Case:
    value = _number(ratio.value)
    return _Case(
        requirement=rule,
        side=rule.side,
        bound=rule.bound,
        unit="ratio",
        value=value,
        span=None if value is None else _span(ratio.low, ratio.high),
        confidence=ratio.confidence,
    )


def _verdict(
    case: _Case, caution: Caution, *, storage_class: str, missing: str, baseline: str = "", remark: str
) -> Verdict:
    """`missing` is said where there is no value; `baseline` is the class of a comparison."""
    status = case.decision(caution)
    subject = f"{case.requirement.metric} of {case.requirement.profile} on {storage_class}"
    if case.value is None:
        said = f"{missing}, so it cannot be judged; a measurement of its full length would decide it"
    else:
        said = _reason(case, f"is {case.told(case.value, baseline)}", status, baseline=baseline, remark=remark)
    return outcome(
        case.requirement,
        storage_class=storage_class,
        status=status,
        reason=f"{subject} {said}.",
        measured=case.value,
        interval=case.span,
        unit=case.unit,
        confidence=None if case.is_of_an_event else case.confidence,
    )


def _reason(case: _Case, found: str, status: Decision, *, baseline: str, remark: str) -> str:
    """What is said of the subject: the measured value, its interval, the limit, and what follows."""
    if case.span is None:
        return f"{found}, from too few samples for a confidence interval; {_LONGER}"
    wanted = case.wanted(baseline)
    if case.is_of_an_event:
        low, high = map(case.shown, case.span)
        found = found if low == high else f"is between {low} and {high}"
    else:
        found += f" ({case.confidence * 100:.4g}% CI {case.edges(baseline)})"
    if status != decide(*case.span, **{case.side: case.bound}):
        return f"{found}, from too short a load to be compared with the limit {in_words(wanted)}; {_LONGER}"
    lies = held_against(
        status,
        wanted,
        because="; ".join(filter(None, (case.requirement.because.strip().rstrip("."), remark))),
        left_open="; ".join(filter(None, (remark, "a quieter machine or a longer measurement would decide it"))),
        whole="" if case.is_of_an_event else "all ",
    )
    return f"{found}, {lies}"


def _number(value: float | None) -> float | None:
    """`value` if it is one that can be judged: rates, times and ratios are finite and never negative."""
    return value if value is not None and math.isfinite(value) and value >= 0.0 else None


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    known = _number(low), _number(high)
    return None if known[0] is None or known[1] is None else (known[0], known[1])
