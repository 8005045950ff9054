"""What is said of a latency at a share of the capacity: how long, whether the rate was kept, what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.requirement import Decision
from acceptance.text.quantities import format_quantity, format_size
from acceptance.wording.phrasing import Said, Sentence, about, held_against, surely

_LEFT_OPEN = "a quieter machine or a longer measurement would decide it"
_BEFORE = "the volume did more than that for a minute before, and cannot do a share of it now"


def no_capacity(verdict: Verdict) -> str:
    """Nothing was done at full load."""
    why = "nothing was done in a minute of full load, so there is no capacity to take a share of"
    return f"{about(verdict)} cannot be judged: {why}."


def too_little(verdict: Verdict, *, sure: float) -> str:
    """`sure`: what the volume certainly does, in 1/s."""
    shown = format_quantity(sure, unit="1/s")
    return f"{about(verdict)} cannot be judged: what it certainly does ({shown}) is too little for a share of it."


def loaded(
    verdict: Verdict,
    *,
    asked: float,
    sure: float,
    latency: Decision,
    rate: Mapping[str, Any],
    warnings: Sequence[str],
    capacity: float | None = None,
    cache: int | None = None,
    test_size: int = 0,
) -> Sentence:
    """A load at a share.

    `asked`, `sure`: in 1/s. `latency`: where its interval lies. `rate`: as `rate_in_words` takes it. `capacity`: its
    mean, where it is not known well enough. `cache`, in bytes: where it holds a test file of `test_size`.
    """
    shown = (format_quantity(each, unit="1/s") for each in (asked, sure))
    subject = f"{about(verdict)} at {share_asked(verdict)} of its capacity ({' of '.join(shown)})"
    more = [rate_in_words(**rate, missed=_BEFORE)]
    if capacity is not None:
        more.append(_unknown_capacity(capacity, sure))
    if cache is not None:
        more.append(cached_in_words(cache, test_size=test_size))
    return _latency(verdict, subject, latency, more="".join(f"; {each}" for each in (*more, *warnings)))


CODES = ("within", "outside", "on_both_sides", "rate_not_kept", "rate_open", "too_few_samples", "no_value", "cached")
"""of a load at a share, here and beside neighbours"""
SENTENCES: dict[str, Said] = {
    "no_capacity": no_capacity,
    "too_little": too_little,
    "capacity_not_known": loaded,
    **dict.fromkeys(CODES, loaded),
}


def share_asked(verdict: Verdict) -> str:
    """`80 %`: of the capacity."""
    share = verdict.requirement.at["of_capacity"]
    assert isinstance(share, int | float)
    return _percent(share)


def rate_in_words(
    *, lies: Decision, reached: float, low: float | None, high: float | None, least: float, missed: str
) -> str:
    """`the rate was kept: ...`, and what it means where it was not (`missed`).

    `lies`: where the share that was `reached`, from `low` to `high`, lies to the `least` that keeps it.
    """
    share = _percent(reached)
    if low is None or high is None:
        return f"whether the rate was kept is not known: {share} of what was asked for was done, in too few seconds"
    did = (
        f"{share} of what was asked for was done (lower bound for its backlog {_percent(low)}, upper bound "
        f"{_percent(high)})"
    )
    wanted = _percent(least)
    return {
        "pass": f"the rate was kept: {did}",
        "fail": f"the rate was not kept: {did}, surely less than {wanted}; {missed}",
        "inconclusive": f"whether the rate was kept is open: {did}, on both sides of {wanted}; {_LEFT_OPEN}",
    }[lies]


def cached_in_words(cache: int, *, test_size: int) -> str:
    """Why a pass says nothing where a cache of so many bytes holds the test file."""
    return (
        f"which is not judged: the target file names a cache of {format_size(cache)}, and the test file of "
        f"{format_size(test_size)} is no larger; give it more with --storage-test-size"
    )


def _unknown_capacity(capacity: float, sure: float) -> str:
    mean, certain = (format_quantity(each, unit="1/s") for each in (capacity, sure))
    return (
        f"which is not judged: what the volume can do is not known well enough (on average {mean}, certainly "
        f"{certain}), so that the share may be far less; {_LEFT_OPEN}"
    )


def _latency(verdict: Verdict, subject: str, lies: Decision, *, more: str) -> Sentence:
    if verdict.measured is None:
        return Sentence(text=f"{subject} has no value: nothing was done{more}.")
    shown = partial(format_quantity, unit="s", beside=verdict.requirement.bound)
    said = f"{subject} is {shown(verdict.measured)}"
    if verdict.low is None or verdict.high is None or verdict.confidence is None:
        return Sentence(text=f"{said}, from too few operations for a confidence interval{more}.")
    return held_against(
        verdict,
        f"{said} ({surely(verdict.confidence, shown(verdict.low), shown(verdict.high))})",
        lies=lies,
        left_open=_LEFT_OPEN,
        more=more,
    )


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"
