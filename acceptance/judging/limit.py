"""Measurement + limit -> verdict. Pure: nothing is measured here, and the same input gives the same verdict.

A verdict is certain or it is none: the whole confidence interval must lie on one side of the limit. A value that is
missing or no number is never judged: the verdict is inconclusive, and no NaN gets into it.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from typing import Literal

from acceptance.limits.tiers import ComparisonRule, Limit
from acceptance.results.document import Estimate, Unit, Verdict
from acceptance.statistics.ratios import Ratio
from acceptance.text.quantities import format_quantity

Decision = Literal["pass", "fail", "inconclusive"]


def decide(
    low: float, high: float, *, at_least: float | None = None, at_most: float | None = None, beyond: float = 1.0
) -> Decision:
    """Where the interval low..high lies: all on the good side of the limit, all on the bad side, or neither.

    `beyond`: by what factor on either side. A value exactly at the limit is good. Raises ValueError unless exactly one
    limit is given.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("wanted one of at_least and at_most, found both or none")
    if at_least is not None:
        good, bad = low >= at_least * beyond, high < at_least / beyond
    else:
        assert at_most is not None
        good, bad = high <= at_most / beyond, low > at_most * beyond
    return "pass" if good else "fail" if bad else "inconclusive"


@dataclass(frozen=True, kw_only=True)
class Caution:
    """What is asked of a verdict from so little load that much can still change; as it is, nothing more than usual."""

    beyond: float = 1.0
    """by what factor the whole interval must lie beyond the limit; infinite: nothing is decided but by an event"""
    may_pass: bool = True
    """whether the load was long enough to have shown what would not pass"""


_USUAL = Caution()


def judge(
    estimate: Estimate | None,
    limit: Limit,
    *,
    test: str,
    storage_class: str,
    final: bool,
    remark: str = "",
    caution: Caution = _USUAL,
) -> Verdict:
    """The verdict on one limit; `estimate` is None when the measurement does not have the metric.

    `final` says that no further look follows: it changes the reason of an inconclusive verdict, never the status.
    `remark`, a half sentence, is added to any reason but that of a pass: what was seen that may have caused it.
    `caution` is for what was looked at early.
    Raises ValueError when the estimate is in another unit than the limit: that is an error of the caller.
    """
    unit = limit.metric.unit
    if estimate is not None and estimate.unit != unit:
        raise ValueError(f"wanted {limit.metric} in {unit}, found {estimate.unit}")
    answer = _Answer(
        value=None if estimate is None else _number(estimate.mean),
        span=None if estimate is None else _span(estimate.low, estimate.high),
        confidence=0.0 if estimate is None else estimate.confidence,
        missing="has no value in the measurement",
        remark=remark,
        caution=caution,
    )
    question = _Question(limit, rule=limit.kind, unit=unit, at_least=limit.at_least, at_most=limit.at_most)
    return _verdict(question, answer, test=test, storage_class=storage_class, final=final)


def judge_comparison(
    ratio: Ratio,
    rule: ComparisonRule,
    *,
    test: str,
    storage_class: str,
    baseline_class: str,
    final: bool,
    remark: str = "",
    caution: Caution = _USUAL,
) -> Verdict:
    """The verdict on one comparison rule: fail when the candidate is certainly further off than the margin allows.

    `ratio` is candidate / baseline. Without a value (a class stalled) the verdict is inconclusive and says why.
    `remark`, a half sentence, is added to the reason of a failure: what else speaks for its cause, what to do.
    """
    answer = _Answer(
        value=_number(ratio.value),
        span=_span(ratio.low, ratio.high),
        confidence=ratio.confidence,
        missing=f"cannot be compared with {baseline_class}: {ratio.problem or 'the measurement gave no ratio'}",
        than=f" that of {baseline_class}",
        remark=remark,
        caution=caution,
    )
    at_least, at_most = (None, rule.bound) if rule.side == "at_most" else (rule.bound, None)
    question = _Question(rule, rule=rule.kind, unit="ratio", at_least=at_least, at_most=at_most)
    return _verdict(question, answer, test=test, storage_class=storage_class, final=final)


@dataclass(frozen=True)
class _Question:
    """What is asked: a limit or a comparison rule, brought to one form."""

    asked: Limit | ComparisonRule
    rule: str
    unit: Unit | Literal["ratio"]
    at_least: float | None
    at_most: float | None

    @property
    def bound(self) -> float:
        bound = self.at_most if self.at_least is None else self.at_least
        assert bound is not None  # one of the two is set: Limit and judge_comparison see to it
        return bound

    @property
    def is_of_an_event(self) -> bool:
        """Whether what was found is no mean, and has no confidence: it happened."""
        return isinstance(self.asked, Limit) and self.asked.metric.statistic == "longest"

    @property
    def wanted(self) -> str:
        """`at least 750 IOPS`"""
        side = "at most" if self.at_least is None else "at least"
        return f"{side} {format_quantity(self.bound, unit=self.unit)}"


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What was found: a value and the interval around it, or what to say when there is none."""

    value: float | None
    span: tuple[float, float] | None
    confidence: float
    missing: str
    than: str = ""
    """said after the value"""
    remark: str = ""
    """said at the end of a reason that is no pass's"""
    caution: Caution


def _verdict(question: _Question, answer: _Answer, *, test: str, storage_class: str, final: bool) -> Verdict:
    asked = question.asked
    span = answer.span if answer.value is not None else None
    status: Decision = "inconclusive"
    if span is not None:
        status = _cautious(question, span, answer.caution)
    subject = f"{asked.metric} of {asked.profile} on {storage_class}"
    return Verdict(
        id=verdict_id(storage_class, asked.profile, asked.metric.path, question.rule),
        test=test,
        storage_class=storage_class,
        profile=asked.profile,
        metric=asked.metric.path,
        rule=question.rule,
        limit=asked.describe(),
        measured=answer.value,
        low=span[0] if span else None,
        high=span[1] if span else None,
        unit=question.unit,
        confidence=answer.confidence if span and not question.is_of_an_event else None,
        status=status,
        reason=f"{subject} {_reason(question, answer, status, final=final)}.",
    )


def _cautious(question: _Question, span: tuple[float, float], caution: Caution) -> Decision:
    """What the interval says, as far as so much load can tell. An event that was seen is certain, whatever follows."""
    beyond = 1.0 if question.is_of_an_event else caution.beyond
    status = decide(*span, at_least=question.at_least, at_most=question.at_most, beyond=beyond)
    return "inconclusive" if status == "pass" and not caution.may_pass else status


def _reason(question: _Question, answer: _Answer, status: Decision, *, final: bool) -> str:
    """What is said of the subject: the measured value, its interval, the limit, and what follows."""
    more = "would decide it" if final else "follows"
    if answer.value is None:
        return f"{answer.missing}, so it cannot be judged; a measurement of its full length {more}"
    shown = format_quantity(answer.value, unit=question.unit, beside=question.bound) + answer.than
    if answer.span is None:
        return f"is {shown}, from too few samples for a confidence interval; a longer measurement {more}"
    low, high = (format_quantity(value, unit=question.unit, beside=question.bound) for value in answer.span)
    measured = f"is {shown} ({answer.confidence * 100:.4g}% CI {low} to {high}), all"
    if question.is_of_an_event:
        measured = f"is {shown}," if low == high else f"is {low} to {high},"
    if status == "pass":
        return f"{measured} within the limit of {question.wanted}"
    if status == "fail":
        because = "; ".join(filter(None, (question.asked.because.strip().rstrip("."), answer.remark)))
        return f"{measured} outside the limit of {question.wanted}: {because}"
    more = "a quieter machine or a longer measurement would decide it" if final else "the measurement goes on"
    if decide(*answer.span, at_least=question.at_least, at_most=question.at_most) != "inconclusive":
        more = "a longer measurement would decide it" if final else "the measurement goes on"
        return f"{measured.removesuffix(', all')}, from too short a load to be held against {question.wanted}; {more}"
    both = f"{measured.removesuffix(' all')} on both sides of the limit of {question.wanted}"
    return "; ".join(filter(None, (both, answer.remark, more)))


def not_judged(*, verdict: str, test: str, storage_class: str, profile: str, reason: str) -> Verdict:
    """What was measured and has no limit: `verdict` is its id, and the reason says what was found."""
    return Verdict(
        id=verdict,
        test=test,
        storage_class=storage_class,
        profile=profile,
        metric=None,
        rule="none",
        limit="none",
        measured=None,
        low=None,
        high=None,
        status="skipped",
        reason=reason,
    )


def verdict_id(storage_class: str, profile: str, metric: str, rule: str) -> str:
    """`replicated/sync-write-iops/write.iops/at-least`: the same for the same question in every run.

    The path of a directory gets a hash, so that `/mnt/a` and `/mnt-a` have different ids.
    """
    name, *rest = (
        re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-") for part in (storage_class, profile, metric, rule)
    )
    if name != storage_class:
        name += "-" + hashlib.sha256(storage_class.encode()).hexdigest()[:8]
    return "/".join((name, *rest))


def _number(value: float | None) -> float | None:
    """`value` if it is one that can be judged: rates, times and ratios are finite and never negative."""
    return value if value is not None and math.isfinite(value) and value >= 0.0 else None


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    known = _number(low), _number(high)
    return None if known[0] is None or known[1] is None else (known[0], known[1])
