"""Sentences about a figure that is compared with a limit: `slowest node (at most 30 s) on fast is 4 s, ...`."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, held_against, surely, wherever_it_lies


def unknown(verdict: Verdict, *, why: str) -> str:
    """Return the reason why there is no figure."""
    return f"{verdict.metric} of StorageClass {verdict.storage_class} is not known: {why}."


def figure(verdict: Verdict, *, done: str) -> Sentence:
    """Return the figure, its interval and their position relative to the limit. `done`: the actions of the trial."""
    requirement = verdict.requirement
    assert verdict.measured is not None and requirement.unit is not None  # else there is nothing to compare
    unit = requirement.unit
    value, low, high = (
        None if amount is None else format_quantity(amount, unit=unit, beside=requirement.bound)
        for amount in (verdict.measured, verdict.low, verdict.high)
    )
    interval = ""
    if low is not None and high is not None:
        interval = f" ({low} to {high})"
        if verdict.confidence is not None:
            interval = f" ({surely(verdict.confidence, low, high)})"
    return held_against(
        verdict,
        f"{verdict.metric} of StorageClass {verdict.storage_class} is {value}{interval}",
        left_open="the figure cannot be distinguished from the limit",
        span=None if interval else "",
        more=f" ({done})",
    )


SENTENCES = {"unknown": unknown, **wherever_it_lies("figure", figure)}
