"""The limit that a verdict was reached on, read from the words in which the verdict names it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from acceptance.results.document import Verdict
from acceptance.text.quantities import parse_quantity

_LIMIT = re.compile(r"(?P<side>at least|at most) (?P<amount>[\d.,]+ ?(% of one CPU|\S*))")


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The side on which values must lie, and the limit in the unit of the verdict, as far as it was written."""

    side: Literal["at_least", "at_most"]
    value: float
    words: str
    """`at least 750 IOPS`"""


def bound_of(verdict: Verdict) -> Bound | None:
    """None where the verdict names no limit that is a number with its unit."""
    found = _LIMIT.search(verdict.limit)
    if found is None or verdict.unit is None:
        return None
    try:
        value = parse_quantity(found["amount"], unit=verdict.unit)
    except ValueError:
        return None
    return Bound(side="at_least" if found["side"] == "at least" else "at_most", value=value, words=found[0])


def bounds_of(verdicts: Iterable[Verdict]) -> dict[str, tuple[Bound, ...]]:
    """What was asked of each metric itself, and not of how it compares with another."""
    found: dict[str, tuple[Bound, ...]] = {}
    for each in verdicts:
        if each.metric is not None and each.unit != "ratio" and (bound := bound_of(each)) is not None:
            found[each.metric] = (*found.get(each.metric, ()), bound)
    return found
