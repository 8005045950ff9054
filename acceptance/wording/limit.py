"""What is said of a metric of a profile that was held against a limit, or compared with a baseline."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import allowed, compared, compared_interval
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, about, held_against, in_words, wanted_of

_LONGER = "a longer measurement would decide it"


def no_value(verdict: Verdict, *, baseline: str = "", problem: str = "") -> str:
    """`baseline`: the class of a comparison, and then `problem`: why it gave no ratio."""
    missing = "has no value in the measurement"
    if baseline:
        missing = f"cannot be compared with {baseline}: {problem}"
    return f"{about(verdict)} {missing}, so it cannot be judged; a measurement of its full length would decide it."


def too_few_samples(verdict: Verdict, *, baseline: str = "") -> str:
    """There is a value, and no interval."""
    told = f"{about(verdict)} is {_value(verdict, baseline)}"
    return f"{told}, from too few samples for a confidence interval; {_LONGER}."


def too_short(verdict: Verdict, *, baseline: str = "") -> str:
    """The interval would decide, but of so short a load it is not taken at its word."""
    which = in_words(_wanted(verdict, baseline))
    return f"{_measured(verdict, baseline)}, from too short a load to be compared with the limit {which}; {_LONGER}."


def within(verdict: Verdict, *, baseline: str = "") -> Sentence:
    """A pass."""
    return _held(verdict, baseline=baseline)


def outside(verdict: Verdict, *, baseline: str = "", remark: str = "") -> Sentence:
    """A fail. `remark`, a half sentence: what was seen that may have caused it."""
    because = "; ".join(filter(None, (verdict.requirement.because.strip().rstrip("."), remark)))
    return _held(verdict, baseline=baseline, because=because)


def on_both_sides(verdict: Verdict, *, baseline: str = "", remark: str = "") -> Sentence:
    """Too close to the limit to tell."""
    left_open = "; ".join(filter(None, (remark, "a quieter machine or a longer measurement would decide it")))
    return _held(verdict, baseline=baseline, left_open=left_open)


SENTENCES = {
    "no_value": no_value,
    "too_few_samples": too_few_samples,
    "too_short": too_short,
    "within": within,
    "outside": outside,
    "on_both_sides": on_both_sides,
}


def _held(verdict: Verdict, *, baseline: str, because: str = "", left_open: str = "") -> Sentence:
    return held_against(
        verdict,
        _measured(verdict, baseline),
        wanted=_wanted(verdict, baseline),
        because=because,
        left_open=left_open,
        whole="" if _is_of_an_event(verdict) else "all ",
    )


def _is_of_an_event(verdict: Verdict) -> bool:
    """Whether what was found is no mean, and has no confidence: it happened."""
    return verdict.unit != "ratio" and Metric.parse(str(verdict.metric)).statistic == "longest"


def _measured(verdict: Verdict, baseline: str) -> str:
    """`write.iops of sync-write-iops on fast is 1,204 IOPS (95% CI 1,131 IOPS to 1,281 IOPS)`"""
    assert verdict.low is not None and verdict.high is not None  # what has an interval is told so
    if _is_of_an_event(verdict):
        low, high = (_shown(verdict, each) for each in (verdict.low, verdict.high))
        return f"{about(verdict)} is {_value(verdict, baseline) if low == high else f'between {low} and {high}'}"
    assert verdict.confidence is not None
    sure = f"{verdict.confidence * 100:.4g}% CI {_edges(verdict, verdict.low, verdict.high, baseline)}"
    return f"{about(verdict)} is {_value(verdict, baseline)} ({sure})"


def _value(verdict: Verdict, baseline: str) -> str:
    """`1,204 IOPS`, `11x slower than on local-path`"""
    assert verdict.measured is not None
    if not baseline:
        return _shown(verdict, verdict.measured)
    words = compared(verdict.measured, str(verdict.metric), beside=verdict.requirement.bound)
    return f"{words} {'as' if verdict.measured == 1.0 else 'than'} on {baseline}"


def _edges(verdict: Verdict, low: float, high: float, baseline: str) -> str:
    """`1,131 IOPS to 1,281 IOPS`, `4x to 29x`"""
    assert verdict.measured is not None
    if not baseline:
        return f"{_shown(verdict, low)} to {_shown(verdict, high)}"
    return compared_interval(low, high, str(verdict.metric), ratio=verdict.measured, beside=verdict.requirement.bound)


def _wanted(verdict: Verdict, baseline: str) -> str:
    """`at least 750 IOPS`, `not faster than local-path by more than 20 %`"""
    asked = verdict.requirement
    assert asked.bound is not None  # what is held against a limit has one
    return (
        allowed(asked.rule, str(asked.metric), bound=asked.bound, baseline=baseline) if baseline else wanted_of(verdict)
    )


def _shown(verdict: Verdict, value: float) -> str:
    assert verdict.unit is not None
    return format_quantity(value, unit=verdict.unit, beside=verdict.requirement.bound)
