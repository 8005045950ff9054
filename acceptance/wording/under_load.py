"""Sentences about a latency at a share of the capacity: the latency, the rate, and objections to the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.requirement import Decision
from acceptance.text.quantities import format_quantity, format_size
from acceptance.wording.phrasing import Renderer, Sentence, about, held_against, surely

_LEFT_OPEN = "a quieter machine or a longer measurement would decide it"
_BEFORE = "the volume did more than that for a minute before, and now does not keep this rate"


def no_capacity(verdict: Verdict) -> str:
    """Return the sentence if no operation was done at full load."""
    why = "no operation was completed in a minute of full load, so there is no capacity to take a share of"
    return f"{about(verdict)} cannot be judged: {why}."


def too_little(verdict: Verdict, *, sure: float) -> str:
    """Return the sentence for a capacity too small to divide. `sure`: the certain rate of the volume, in 1/s."""
    amount = format_quantity(sure, unit="1/s")
    return f"{about(verdict)} cannot be judged: the certain rate of the volume ({amount}) is too low for a share of it."


def load_at_share(
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
    """Return the sentence for a load at a share of the capacity.

    `asked`, `sure`: in 1/s. `latency`: the position of its interval relative to the limit. `rate`: the arguments of
    `rate_in_words`. `capacity`: its mean, if it is not known well enough. `cache`: its bytes, if it can hold a test
    file of `test_size`.
    """
    amounts = (format_quantity(amount, unit="1/s") for amount in (asked, sure))
    subject = f"{about(verdict)} at {share_in_words(verdict)} of its capacity ({' of '.join(amounts)})"
    more = [rate_in_words(**rate, miss_reason=_BEFORE)]
    if capacity is not None:
        more.append(_unknown_capacity(capacity, sure))
    if cache is not None:
        more.append(cached_in_words(cache, test_size=test_size))
    return _latency(verdict, subject, latency, more="".join(f"; {remark}" for remark in (*more, *warnings)))


CODES = ("within", "outside", "on_both_sides", "rate_not_kept", "rate_open", "too_few_samples", "no_value", "cached")
"""The codes of a load at a share, here and next to neighbors."""
SENTENCES: dict[str, Renderer] = {
    "no_capacity": no_capacity,
    "too_little": too_little,
    "capacity_not_known": load_at_share,
    **dict.fromkeys(CODES, load_at_share),
}


def share_in_words(verdict: Verdict) -> str:
    """Return the share of the capacity, such as `80 %`."""
    share = verdict.requirement.at["of_capacity"]
    assert isinstance(share, int | float)
    return _percent(share)


def rate_in_words(
    *, lies: Decision, reached: float, low: float | None, high: float | None, least: float, miss_reason: str
) -> str:
    """Return `the rate was kept: ...`, with the reason `miss_reason` if it was not.

    `lies`: the position of the `reached` share, from `low` to `high`, relative to the `least` that keeps the rate.
    """
    share = _percent(reached)
    if low is None or high is None:
        return f"it is unknown whether the rate was kept: {share} of the requested operations done, in too few seconds"
    did = (
        f"{share} of the requested operations done (at least {_percent(low)}, allowing for the backlog; at most "
        f"{_percent(high)})"
    )
    required_share = _percent(least)
    return {
        "pass": f"the rate was kept: {did}",
        "fail": f"the rate was not kept: {did}, certainly less than {required_share}; {miss_reason}",
        "inconclusive": f"it is undecided whether the rate was kept: {did}, on both sides of {required_share}; "
        f"{_LEFT_OPEN}",
    }[lies]


def cached_in_words(cache: int, *, test_size: int) -> str:
    """Return why a pass proves nothing if a cache of `cache` bytes can hold the test file."""
    return (
        f"this is not judged: the target file names a cache of {format_size(cache)}, and the test file of "
        f"{format_size(test_size)} is no larger; enlarge it with --storage-test-size"
    )


def _unknown_capacity(capacity: float, sure: float) -> str:
    mean, certain = (format_quantity(rate, unit="1/s") for rate in (capacity, sure))
    return (
        f"this is not judged: the capacity of the volume is not known well enough (mean {mean}, certainly at least "
        f"{certain}), so the share may be far less; {_LEFT_OPEN}"
    )


def _latency(verdict: Verdict, subject: str, lies: Decision, *, more: str) -> Sentence:
    if verdict.measured is None:
        return Sentence(text=f"{subject} has no value: no operation was completed{more}.")
    format_value = partial(format_quantity, unit="s", beside=verdict.requirement.bound)
    statement = f"{subject} is {format_value(verdict.measured)}"
    if verdict.low is None or verdict.high is None or verdict.confidence is None:
        return Sentence(text=f"{statement}, from too few operations for a confidence interval{more}.")
    return held_against(
        verdict,
        f"{statement} ({surely(verdict.confidence, format_value(verdict.low), format_value(verdict.high))})",
        lies=lies,
        left_open=_LEFT_OPEN,
        more=more,
    )


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"
