"""The number that a verdict was held against, in words too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acceptance.results.document import Verdict
from acceptance.results.ratio_words import SHARES, share
from acceptance.results.requirement import Operator, Requirement
from acceptance.text.quantities import format_quantity


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The side on which values must lie, and the limit in the unit of the verdict."""

    side: Operator
    value: float
    words: str
    """`at least 750 IOPS`"""


def bound_of(verdict: Verdict) -> Bound | None:
    """None where the verdict is on no number."""
    asked = verdict.requirement
    if asked.operator is None or asked.bound is None or (words := words_of(asked)) is None:
        return None
    return Bound(side=asked.operator, value=asked.bound, words=words)


def words_of(asked: Requirement) -> str | None:
    """`at least 750 IOPS`; None of what is no number."""
    if asked.operator is None or asked.bound is None or asked.unit is None:
        return None
    amount = share(asked.bound) if asked.rule in SHARES else format_quantity(asked.bound, unit=asked.unit)
    return f"{asked.operator.replace('_', ' ')} {amount}"


def bounds_of(verdicts: Iterable[Verdict]) -> dict[str, tuple[Bound, ...]]:
    """What was asked of each metric itself, and not of how it compares with another."""
    found: dict[str, tuple[Bound, ...]] = {}
    for verdict in verdicts:
        if verdict.metric is not None and verdict.unit != "ratio" and (bound := bound_of(verdict)) is not None:
            found[verdict.metric] = (*found.get(verdict.metric, ()), bound)
    return found
