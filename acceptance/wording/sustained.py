"""Sentences about the end of a load without a pause."""

from __future__ import annotations

from typing import NotRequired, TypedDict, Unpack

from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES
from acceptance.statistics.steady_state import MOST_RANGE, MOST_SLOPE, ROUNDS
from acceptance.text.quantities import format_quantity, format_size
from acceptance.wording.phrasing import Renderer, Sentence, about, held_against, surely


class Load(TypedDict):
    """The facts that every sentence of this module contains; all in s."""

    asked_s: int
    judged_s: int
    credits_s: NotRequired[int]
    """The possible duration of burst credits, if the load was too short to observe their end."""
    slowed_down_after_s: NotRequired[int]


def no_value(verdict: Verdict, **load: Unpack[Load]) -> str:
    """Return the sentence if no operation was done at the end."""
    return (
        f"{_about(verdict, load)} has no value: no operation was completed then, so it cannot be judged{_more(load)}."
    )


def too_few_samples(verdict: Verdict, **load: Unpack[Load]) -> str:
    """Return the sentence for a value without an interval."""
    return f"{_value(verdict, load)}, from too few samples for a confidence interval{_more(load)}."


def unsteady(verdict: Verdict, *, range: float, slope: float, **load: Unpack[Load]) -> Sentence:
    """Return the sentence for an unsteady load. `range`, `slope`: of SNIA's steady state, as shares of the mean."""
    why = not_steady(range=range, slope=slope, judged_s=load["judged_s"])
    return _no_judgment(verdict, f"{why}; a longer load would show where it settles", load)


def cached_file(verdict: Verdict, *, cache: int, test_size: int, **load: Unpack[Load]) -> Sentence:
    """Return the sentence for a pass on a file that the storage's cache can hold; both sizes in bytes."""
    why = (
        f"the target file names a cache of {format_size(cache)}, and the test file of {format_size(test_size)} is no "
        "larger; enlarge it with --storage-test-size"
    )
    return _no_judgment(verdict, why, load)


def against_limit(verdict: Verdict, **load: Unpack[Load]) -> Sentence:
    """Return the sentence for a value that was compared with its limit."""
    return held_against(
        verdict,
        _statement(verdict, load),
        left_open="a quieter machine or a longer measurement would decide it",
        more=_more(load),
    )


SENTENCES: dict[str, Renderer] = {
    "no_value": no_value,
    "too_few_samples": too_few_samples,
    "unsteady": unsteady,
    "cached": cached_file,
    **dict.fromkeys(LIES.values(), against_limit),
}


def not_steady(*, range: float, slope: float, judged_s: int) -> str:
    """Return `not steady: its 5 rounds of 60 s differ by 34 % of their mean, ...`."""
    return (
        f"not steady: its {ROUNDS} rounds of {judged_s // ROUNDS} s differ by {range * 100:.0f} % of their mean, "
        f"and the line through them changes by {slope * 100:.0f} % (SNIA's steady state: at most "
        f"{MOST_RANGE * 100:.0f} % and {MOST_SLOPE * 100:.0f} %)"
    )


def short_form(*, asked_s: int, judged_s: int, credits_s: int) -> str:
    """Return the effects that such a short load cannot reveal."""
    before = format_quantity(float(asked_s - judged_s), unit="s")
    return (
        f"a short form: the judged part began after {before} of load, but burst credits of common cloud disks last "
        f"{credits_s // 60} min and more; the test misses any later slowdown"
    )


def _no_judgment(verdict: Verdict, why: str, load: Load) -> Sentence:
    follows = f"{why}{_more(load)}."
    return Sentence(text=f"{_statement(verdict, load)}, which is not judged: {follows}", follows=follows)


def _more(load: Load) -> str:
    """Return further remarks on the load, to follow the finding."""
    more = []
    if "credits_s" in load:
        more.append(short_form(asked_s=load["asked_s"], judged_s=load["judged_s"], credits_s=load["credits_s"]))
    if "slowed_down_after_s" in load:
        more.append(f"it had slowed down after {format_quantity(float(load['slowed_down_after_s']), unit='s')} of load")
    return "".join(f"; {remark}" for remark in more)


def _about(verdict: Verdict, load: Load) -> str:
    end, total = (format_quantity(float(seconds), unit="s") for seconds in (load["judged_s"], load["asked_s"]))
    return f"{about(verdict)} in the last {end} of {total} of load"


def _value(verdict: Verdict, load: Load) -> str:
    assert verdict.measured is not None
    return f"{_about(verdict, load)} is {_format_value(verdict, verdict.measured)}"


def _statement(verdict: Verdict, load: Load) -> str:
    assert verdict.low is not None and verdict.high is not None and verdict.confidence is not None
    low, high = (_format_value(verdict, edge) for edge in (verdict.low, verdict.high))
    return f"{_value(verdict, load)} ({surely(verdict.confidence, low, high)})"


def _format_value(verdict: Verdict, value: float) -> str:
    assert verdict.unit is not None
    return format_quantity(value, unit=verdict.unit, beside=verdict.requirement.bound)
