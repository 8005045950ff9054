"""Measurement + limit -> verdict. Pure: nothing is measured here, and the same input gives the same verdict.

A verdict is certain or it is none: the whole confidence interval must lie on one side of the limit. A value that is
missing or no number is never judged: the verdict is inconclusive, and no NaN gets into it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Estimate, Verdict
from acceptance.results.requirement import Decision, Outcome
from acceptance.statistics.ratios import Ratio


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
    return _verdict(_limit_case(estimate, limit), caution, storage_class=storage_class, remark=remark)


def decide_comparison(ratio: Ratio, rule: Limit, *, caution: Caution = _USUAL) -> Decision:
    """What `judge_comparison` says of a rule, without its words."""
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
    """The verdict on one comparison rule: fail when the candidate is certainly further off than the margin allows.

    `ratio` is candidate / baseline. Without a value (a class stalled) the verdict is inconclusive and says why.
    `remark`, a half sentence, is added to the reason of a failure: what else speaks for its cause, what to do.
    """
    case, problem = _comparison_case(ratio, rule), ratio.problem or "the measurement gave no ratio"
    return _verdict(case, caution, storage_class=storage_class, problem=problem, baseline=baseline_class, remark=remark)


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A limit, also one of a comparison, and what was found."""

    limit: Limit
    value: float | None
    span: tuple[float, float] | None
    """None where the value is, too"""
    confidence: float

    @property
    def is_of_an_event(self) -> bool:
        """Whether what was found is no mean, and has no confidence: it happened."""
        return self.limit.metric.statistic == "longest"

    def decision(self, caution: Caution) -> Decision:
        """What the interval says, as far as so much load can tell. An event that was seen is certain in any case."""
        if self.span is None:
            return "inconclusive"
        beyond = 1.0 if self.is_of_an_event else caution.beyond
        status = self.lies(*self.span, beyond=beyond)
        return "inconclusive" if status == "pass" and not caution.may_pass else status

    def lies(self, low: float, high: float, *, beyond: float = 1.0) -> Decision:
        """As `decide` has it."""
        return decide(low, high, **{self.limit.operator: self.limit.bound}, beyond=beyond)


def _limit_case(estimate: Estimate | None, limit: Limit) -> _Case:
    """Raises ValueError when the estimate is in another unit than the limit."""
    if estimate is not None and estimate.unit != limit.unit:
        raise ValueError(f"wanted {limit.path} in {limit.unit}, found {estimate.unit}")
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
    case: _Case, caution: Caution, *, storage_class: str, problem: str = "", baseline: str = "", remark: str
) -> Verdict:
    """`problem` counts where there is no value; `baseline` is the class of a comparison."""
    status = case.decision(caution)
    facts = {"baseline": baseline, "problem": problem, "remark": remark}
    code, told = _code(case, status)
    return outcome(
        case.limit,
        storage_class=storage_class,
        status=status,
        found=Outcome(code=f"limit.{code}", facts={name: facts[name] for name in told if facts[name]}),
        measured=case.value,
        interval=case.span,
        confidence=None if case.is_of_an_event else case.confidence,
    )


def _code(case: _Case, status: Decision) -> tuple[str, tuple[str, ...]]:
    """The name of what was found, and which facts belong to it."""
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
    """`value` if it is one that can be judged: rates, times and ratios are finite and never negative."""
    return value if value is not None and math.isfinite(value) and value >= 0.0 else None


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    known = _number(low), _number(high)
    return None if known[0] is None or known[1] is None else (known[0], known[1])
