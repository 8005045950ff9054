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
    requirement = verdict.requirement
    if requirement.operator is None or requirement.bound is None or requirement.unit is None:
        return None
    words = f"{requirement.operator.replace('_', ' ')} {_amount(requirement)}"
    return Bound(side=requirement.operator, value=requirement.bound, words=words)


def _amount(requirement: Requirement) -> str:
    assert requirement.bound is not None and requirement.unit is not None  # asked for only where there are
    if requirement.rule in SHARES:
        return share(requirement.bound)
    return format_quantity(requirement.bound, unit=requirement.unit)


def bounds_of(verdicts: Iterable[Verdict]) -> dict[str, tuple[Bound, ...]]:
    """What was asked of each metric itself, and not of how it compares with another."""
    found: dict[str, tuple[Bound, ...]] = {}
    for each in verdicts:
        if each.metric is not None and each.unit != "ratio" and (bound := bound_of(each)) is not None:
            found[each.metric] = (*found.get(each.metric, ()), bound)
    return found
