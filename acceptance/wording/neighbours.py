"""What is said of a latency beside neighbours that load at full: how long, whether the rate was kept, what they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.requirement import Decision
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Said, Sentence, about, held_against, surely
from acceptance.wording.under_load import CODES, cached_in_words, rate_in_words, share_asked

_LEFT_OPEN = "a quieter machine or a longer measurement (--storage-load longest) would decide it"
_MISSED = "alone the volume did this and more, and its neighbours leave it less"
_UNFIT = {
    "neighbor_idle": "a neighbour did nothing meanwhile, so nothing is known of a volume beside it",
    "missed_alone": "alone the volume did not keep this rate either, a share of what it did before",
}


def too_little(verdict: Verdict, *, capacity: float | None) -> str:
    """`capacity`: what the volume did alone, in 1/s; None where that is nothing."""
    did = "nothing" if capacity is None else format_quantity(capacity, unit="1/s")
    why = f"what the volume did alone ({did}) is too little for a share of it"
    return f"{about(verdict)} beside neighbours cannot be judged: {why}."


def loaded(
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
    """A load at a share.

    `asked`, `capacity`, `neighbors` (each of them): in 1/s. `latency`: where its interval, or that of its growth,
    lies. `rate`: as `rate_in_words` takes it. `cache`, in bytes: where it holds a test file of `test_size`.
    """
    shown = (format_quantity(each, unit="1/s") for each in (asked, capacity))
    others = "1 volume" if len(neighbors) == 1 else f"{len(neighbors)} volumes"
    subject = f"{about(verdict)} at {share_asked(verdict)} of its capacity ({' of '.join(shown)}), beside {others}"
    more = [
        rate_in_words(**rate, missed=_MISSED),
        f"the others together did {format_quantity(sum(neighbors), unit='1/s')}",
    ]
    assert verdict.outcome is not None
    unfit = _UNFIT.get(verdict.outcome.code.rpartition(".")[2])
    if unfit is not None:
        more.append(f"which is not judged: {unfit}")
    if cache is not None:
        more.append(cached_in_words(cache, test_size=test_size))
    told = "".join(f"; {each}" for each in (*more, *warnings))
    return _value(verdict, f"{subject} at full load,", latency, alone_s=alone_s, beside_s=beside_s, more=told)


SENTENCES: dict[str, Said] = {"too_little": too_little, **dict.fromkeys((*CODES, *_UNFIT), loaded)}


def _value(
    verdict: Verdict, subject: str, lies: Decision, *, alone_s: float | None, beside_s: float | None, more: str
) -> Sentence:
    if verdict.measured is None:
        return Sentence(text=f"{subject} has no value: nothing was done{more}.")
    grows = verdict.unit == "ratio"
    shown = partial(format_quantity, unit="ratio" if grows else "s", beside=verdict.requirement.bound)
    said = f"{subject} is {shown(verdict.measured)}{' that alone' if grows else ''}"
    told = f"{_time(beside_s)}, alone {_time(alone_s)}" if grows else f"alone: {_time(alone_s)}"
    if verdict.low is None or verdict.high is None or verdict.confidence is None:
        few = f"{said} ({told}), from too few operations for a confidence interval; {_LEFT_OPEN}{more}."
        return Sentence(text=few)
    return held_against(
        verdict,
        f"{said} ({surely(verdict.confidence, shown(verdict.low), shown(verdict.high))}; {told})",
        lies=lies,
        left_open=_LEFT_OPEN,
        more=more,
    )


def _time(seconds: float | None) -> str:
    return "not known" if seconds is None else format_quantity(seconds, unit="s")
