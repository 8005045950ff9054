"""Sentences about a metric of a profile that was compared with a limit, or with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import allowed_comparison, comparison, comparison_interval
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, about, event_in_words, held_against, in_words, wanted_of

_LONGER = "a longer measurement would decide it"


def no_value(verdict: Verdict, *, baseline: str = "", problem: str = "") -> str:
    """Return the sentence for a missing value. `baseline`: the class to compare with; `problem`: why it failed."""
    missing = "has no value in the measurement"
    if baseline:
        missing = f"cannot be compared with {baseline}: {problem}"
    return f"{about(verdict)} {missing}, so it cannot be judged; a full-length measurement would decide it."


def too_few_samples(verdict: Verdict, *, baseline: str = "") -> str:
    """Return the sentence for a value without an interval."""
    statement = f"{about(verdict)} is {_value(verdict, baseline)}"
    return f"{statement}, from too few samples for a confidence interval; {_LONGER}."


def too_short(verdict: Verdict, *, baseline: str = "") -> str:
    """Return the sentence for an interval that would decide, but is not trusted because the load was too short."""
    limit = in_words(_limit_words(verdict, baseline))
    problem = f"but the load was too short to compare it with the limit {limit}"
    return f"{_statement(verdict, baseline)}, {problem}; {_LONGER}."


def within(verdict: Verdict, *, baseline: str = "") -> Sentence:
    """Return the sentence for a pass."""
    return _against_limit(verdict, baseline=baseline)


def outside(verdict: Verdict, *, baseline: str = "", remark: str = "") -> Sentence:
    """Return the sentence for a fail. `remark`: a clause about an observed possible cause."""
    return _against_limit(verdict, baseline=baseline, more=f"; {remark}" if remark else "")


def on_both_sides(verdict: Verdict, *, baseline: str = "", remark: str = "") -> Sentence:
    """Return the sentence for an interval on both sides of the limit."""
    left_open = "; ".join(filter(None, (remark, "a quieter machine or a longer measurement would decide it")))
    return _against_limit(verdict, baseline=baseline, left_open=left_open)


def unsteady(verdict: Verdict, *, visits: Sequence[float], deviation: float, remark: str = "") -> Sentence:
    """Return the sentence for an interval that contains the limit of storage whose visits differ."""
    values = ", ".join(format_quantity(value, unit=verdict.unit or "count") for value in visits)
    differ = f"the storage is not steady: visits differ by {deviation:.0%}, and those of this profile showed {values}"
    return _against_limit(verdict, baseline="", left_open="; ".join(filter(None, (remark, differ))))


SENTENCES = {
    "no_value": no_value,
    "too_few_samples": too_few_samples,
    "too_short": too_short,
    "within": within,
    "outside": outside,
    "on_both_sides": on_both_sides,
    "unsteady": unsteady,
}


def _against_limit(verdict: Verdict, *, baseline: str, left_open: str = "", more: str = "") -> Sentence:
    return held_against(
        verdict,
        _statement(verdict, baseline),
        limit_words=_limit_words(verdict, baseline),
        left_open=left_open,
        span="" if _is_of_an_event(verdict) else None,
        more=more,
    )


def _is_of_an_event(verdict: Verdict) -> bool:
    """Return whether the figure is an event, which is no mean and has no confidence."""
    return verdict.unit != "ratio" and Metric.parse(str(verdict.metric)).statistic == "longest"


def _statement(verdict: Verdict, baseline: str) -> str:
    """Return `write.iops of sync-write-iops on fast is 1,204 IOPS (95% CI 1,131 IOPS to 1,281 IOPS)`."""
    assert verdict.low is not None and verdict.high is not None  # only verdicts with an interval get here
    if _is_of_an_event(verdict):
        return f"{about(verdict)} is {_event(verdict, verdict.low, verdict.high)}"
    assert verdict.confidence is not None
    sure = f"{verdict.confidence * 100:.4g}% CI {_edges(verdict, verdict.low, verdict.high, baseline)}"
    return f"{about(verdict)} is {_value(verdict, baseline)} ({sure})"


def _event(verdict: Verdict, low: float, high: float) -> str:
    """Return the duration of an event; both ends if they may explain why it is no pass."""
    shown_low, shown_high = (_format_value(verdict, edge) for edge in (low, high))
    if verdict.status != "pass" and shown_low != shown_high:
        return f"between {shown_low} and {shown_high}"
    return event_in_words(low, high, partial(_format_value, verdict))


def _value(verdict: Verdict, baseline: str) -> str:
    """Return the value, such as `1,204 IOPS` or `11x slower than on local-path`."""
    assert verdict.measured is not None
    if not baseline:
        return _format_value(verdict, verdict.measured)
    words = comparison(verdict.measured, str(verdict.metric), beside=verdict.requirement.bound)
    return f"{words} {'as' if verdict.measured == 1.0 else 'than'} on {baseline}"


def _edges(verdict: Verdict, low: float, high: float, baseline: str) -> str:
    """Return the interval, such as `1,131 IOPS to 1,281 IOPS` or `4x to 29x`."""
    assert verdict.measured is not None
    if not baseline:
        return f"{_format_value(verdict, low)} to {_format_value(verdict, high)}"
    return comparison_interval(low, high, str(verdict.metric), ratio=verdict.measured, beside=verdict.requirement.bound)


def _limit_words(verdict: Verdict, baseline: str) -> str:
    """Return the limit, such as `at least 750 IOPS` or `not faster than local-path by more than 20 %`."""
    requirement = verdict.requirement
    assert requirement.bound is not None  # a limit has a bound
    return (
        allowed_comparison(requirement.rule, str(requirement.metric), bound=requirement.bound, baseline=baseline)
        if baseline
        else wanted_of(verdict)
    )


def _format_value(verdict: Verdict, value: float) -> str:
    assert verdict.unit is not None
    return format_quantity(value, unit=verdict.unit, beside=verdict.requirement.bound)
