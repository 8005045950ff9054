"""Sentences about a latency next to neighbors at full load: the latency, the rate, and the neighbors' rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.requirement import Decision
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer, Sentence, about, held_against, surely
from acceptance.wording.under_load import CODES, cached_in_words, rate_in_words, share_in_words

_LEFT_OPEN = "a quieter machine or a longer measurement (--storage-load longest) would decide it"
_MISS_REASON = "alone the volume did this and more; its neighbors leave it less"
_UNFIT = {
    "neighbor_idle": "a neighbor completed no operation meanwhile, so there was no load to compete with",
    "missed_alone": "alone the volume did not keep this rate either, although it did more at full load",
}


def too_little(verdict: Verdict, *, capacity: float | None) -> str:
    """Return the sentence for a capacity too small for a share. `capacity`: of the volume alone, in 1/s, if any."""
    rate = "no operation" if capacity is None else format_quantity(capacity, unit="1/s")
    why = f"the rate of the volume alone ({rate}) is too low for a share of it"
    return f"{about(verdict)} next to neighbors cannot be judged: {why}."


def load_beside_neighbours(
    verdict: Verdict,
    *,
    asked: float,
    capacity: float,
    alone_s: float | None,
    beside_s: float | None,
    latency: Decision,
    rate: Mapping[str, Any],
    neighbors: Sequence[float],
    warnings: Sequence[str],
    cache: int | None = None,
    test_size: int = 0,
) -> Sentence:
    """Return the sentence for a load at a share of the capacity, next to neighbors.

    `asked`, `capacity` and each of `neighbors` are in 1/s. `latency`: the position of its interval, or of that of its
    growth, relative to the limit. `rate`: the arguments of `rate_in_words`. `cache`: its bytes, if it can hold a test
    file of `test_size`.
    """
    rates = (format_quantity(value, unit="1/s") for value in (asked, capacity))
    volumes = "1 volume" if len(neighbors) == 1 else f"{len(neighbors)} volumes"
    capacity_share = f"{share_in_words(verdict)} of its capacity ({' of '.join(rates)})"
    subject = f"{about(verdict)} at {capacity_share}, next to {volumes}"
    more = [
        rate_in_words(**rate, miss_reason=_MISS_REASON),
        f"the neighbors together did {format_quantity(sum(neighbors), unit='1/s')}",
    ]
    assert verdict.outcome is not None
    unfit = _UNFIT.get(verdict.outcome.code.rpartition(".")[2])
    if unfit is not None:
        more.append(f"this is not judged: {unfit}")
    if cache is not None:
        more.append(cached_in_words(cache, test_size=test_size))
    remarks = "".join(f"; {remark}" for remark in (*more, *warnings))
    return _value(verdict, f"{subject} at full load,", latency, alone_s=alone_s, beside_s=beside_s, more=remarks)


SENTENCES: dict[str, Renderer] = {"too_little": too_little, **dict.fromkeys((*CODES, *_UNFIT), load_beside_neighbours)}


def _value(
    verdict: Verdict, subject: str, lies: Decision, *, alone_s: float | None, beside_s: float | None, more: str
) -> Sentence:
    if verdict.measured is None:
        return Sentence(text=f"{subject} has no value: no operation was completed{more}.")
    grows = verdict.unit == "ratio"
    format_value = partial(format_quantity, unit="ratio" if grows else "s", beside=verdict.requirement.bound)
    statement = f"{subject} is {format_value(verdict.measured)}{' its value alone' if grows else ''}"
    times = f"{_time(beside_s)}, alone {_time(alone_s)}" if grows else f"alone: {_time(alone_s)}"
    if verdict.low is None or verdict.high is None or verdict.confidence is None:
        few = f"{statement} ({times}), from too few operations for a confidence interval; {_LEFT_OPEN}{more}."
        return Sentence(text=few)
    return held_against(
        verdict,
        f"{statement} ({surely(verdict.confidence, format_value(verdict.low), format_value(verdict.high))}; {times})",
        lies=lies,
        left_open=_LEFT_OPEN,
        more=more,
    )


def _time(seconds: float | None) -> str:
    return "not known" if seconds is None else format_quantity(seconds, unit="s")
