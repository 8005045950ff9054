"""The number that a verdict's figure was compared with, also in words."""

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
    """The limit in words, such as `at least 750 IOPS`."""


def bound_of(verdict: Verdict) -> Bound | None:
    """Return the limit that the verdict's figure was compared with; None if the verdict is not about a number."""
    requirement = verdict.requirement
    if requirement.operator is None or requirement.bound is None or (words := words_of(requirement)) is None:
        return None
    return Bound(side=requirement.operator, value=requirement.bound, words=words)


def words_of(requirement: Requirement) -> str | None:
    """Return the limit in words, such as `at least 750 IOPS`; None if the requirement is not about a number."""
    if requirement.operator is None or requirement.bound is None or requirement.unit is None:
        return None
    amount = (
        share(requirement.bound)
        if requirement.rule in SHARES
        else format_quantity(requirement.bound, unit=requirement.unit)
    )
    return f"{requirement.operator.replace('_', ' ')} {amount}"


def bounds_of(verdicts: Iterable[Verdict]) -> dict[str, tuple[Bound, ...]]:
    """Return the limits on each metric, without limits on its ratio to another metric."""
    bounds: dict[str, tuple[Bound, ...]] = {}
    for verdict in verdicts:
        if verdict.metric is not None and verdict.unit != "ratio" and (bound := bound_of(verdict)) is not None:
            bounds[verdict.metric] = (*bounds.get(verdict.metric, ()), bound)
    return bounds
