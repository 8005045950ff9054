"""Percentiles of few values, and shares of few events: intervals that need no shape of the distribution.

The values in order bound a percentile: how many of n independent values lie below it is binomial, whatever they are
(David & Nagaraja, Order Statistics, 7.1). So the interval is wide where there are few, and has no upper end where even
the largest value may lie below the percentile. A share has the interval of Clopper and Pearson (Biometrika 26, 1934).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

HALVINGS = 60
"""of 0..1, until the end of an interval is found: to the last digit of a double"""


class Percentile(NamedTuple):
    """A percentile and its two-sided interval, in the unit of the values; `high` is infinite where it has no end."""

    value: float
    low: float
    high: float


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest of `values` that at least `share` of them do not exceed (the nearest rank: no value in
    between is made up).

    Raises ValueError where there are none.
    """
    if not values:
        raise ValueError("wanted at least one value, found none")
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def percentile(values: Sequence[float], share: float, *, confidence: float) -> Percentile:
    """The percentile by the nearest rank, with the interval that its order statistics give.

    Each end is wrong with a chance of (1 - confidence) / 2 at most, if the values are independent. A value that is
    infinite stands for one that nobody waited to see. `low` is zero where the smallest value may lie above the
    percentile: times are not below it. Raises ValueError where there are no values.
    """
    value, ordered, count = nearest_rank(values, share), sorted(values), len(values)
    budget = (1 - confidence) / 2
    below = list(accumulate(_chances(count, share)))  # so many of the values, or fewer, lie below the percentile
    low = max((rank for rank in range(1, count + 1) if below[rank - 1] <= budget), default=0)
    high = min((rank for rank in range(1, count + 1) if 1.0 - below[rank - 1] <= budget), default=count + 1)
    return Percentile(
        value=value,
        low=ordered[low - 1] if low else 0.0,
        high=ordered[high - 1] if high <= count else math.inf,
    )


def least_count(share: float, *, confidence: float) -> int:
    """The fewest values of which the largest is surely above the percentile: share^n is within the budget.

    7 for a median, 90 for a p95 and 459 for a p99, with a confidence of 98 %.
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(share) - 1e-9)


def share_interval(found: int, count: int, *, confidence: float) -> tuple[float, float]:
    """The share of which `found` of `count` independent events are, with the interval of Clopper and Pearson.

    Raises ValueError for a count that cannot be.
    """
    if not 0 <= found <= count or not count:
        raise ValueError(f"wanted 0 to n of n events, found {found} of {count}")
    budget = (1 - confidence) / 2
    low = _where(lambda share: 1.0 - at_most(found - 1, count, share) > budget) if found else 0.0
    high = _where(lambda share: at_most(found, count, share) <= budget) if found < count else 1.0
    return low, high


def at_most(found: int, count: int, share: float) -> float:
    """The chance that of `count` independent events, each with the chance `share` (above 0, below 1), no more than
    `found` happen."""
    return min(1.0, math.fsum(islice(_chances(count, share), found + 1)))


def _chances(count: int, share: float) -> Iterator[float]:
    """Those of 0, 1, ... `count` events; by logarithms, for thousands of them."""
    one, other, of_all = math.log(share), math.log1p(-share), math.lgamma(count + 1)
    for k in range(count + 1):
        yield math.exp(of_all - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * one + (count - k) * other)


def _where(holds: Callable[[float], bool]) -> float:
    """The share from which on it holds: it does so for all larger ones."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2
