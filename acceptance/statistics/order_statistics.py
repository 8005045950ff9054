"""Percentiles of few values, and shares of few events: intervals that need no shape of the distribution.

The sorted values bound a percentile: the number of n independent values below it is binomial for any distribution
(David & Nagaraja, Order Statistics, 7.1). So the interval is wide with few values, and has no upper bound if even the
largest value may be below the percentile. A share has the interval of Clopper and Pearson (Biometrika 26, 1934).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

HALVINGS = 60
"""The halvings of 0..1 that find the bound of an interval to the last digit of a double."""


class Percentile(NamedTuple):
    """A percentile and its two-sided interval, in the unit of the values; `high` is infinite without an upper bound."""

    value: float
    low: float
    high: float


def nearest_rank(values: Sequence[float], share: float) -> float:
    """Return the smallest of `values` that at least `share` of them do not exceed (the nearest rank, without
    interpolation).

    Raises ValueError if there are no values.
    """
    if not values:
        raise ValueError("expected at least one value, found none")
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def percentile(values: Sequence[float], share: float, *, confidence: float) -> Percentile:
    """Return the percentile by the nearest rank, with the interval of its order statistics.

    Each bound is wrong with a chance of at most (1 - confidence) / 2, if the values are independent. An infinite value
    represents one that was not awaited. `low` is zero if the smallest value may be above the percentile, because times
    are not negative. Raises ValueError if there are no values.
    """
    value, ascending, count = nearest_rank(values, share), sorted(values), len(values)
    budget = (1 - confidence) / 2
    below = list(accumulate(_chances(count, share)))  # the chances that at most 0, 1, ... values are below it
    low = max((rank for rank in range(1, count + 1) if below[rank - 1] <= budget), default=0)
    high = min((rank for rank in range(1, count + 1) if 1.0 - below[rank - 1] <= budget), default=count + 1)
    return Percentile(
        value=value,
        low=ascending[low - 1] if low else 0.0,
        high=ascending[high - 1] if high <= count else math.inf,
    )


def least_count(share: float, *, confidence: float) -> int:
    """Return the fewest values whose largest is surely above the percentile: share^n is within the budget.

    7 for a median, 90 for a p95 and 459 for a p99, with a confidence of 98 %.
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(share) - 1e-9)


def share_interval(events: int, count: int, *, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for the share of `events` in `count` independent trials.

    Raises ValueError for impossible counts.
    """
    if not 0 <= events <= count or not count:
        raise ValueError(f"expected 0 to n of n events, found {events} of {count}")
    budget = (1 - confidence) / 2
    low = _where(lambda share: 1.0 - at_most(events - 1, count, share) > budget) if events else 0.0
    high = _where(lambda share: at_most(events, count, share) <= budget) if events < count else 1.0
    return low, high


def at_most(events: int, count: int, share: float) -> float:
    """Return the chance of at most `events` in `count` independent trials, each with the chance `share` (above 0,
    below 1)."""
    return min(1.0, math.fsum(islice(_chances(count, share), events + 1)))


def _chances(count: int, share: float) -> Iterator[float]:
    """Yield the chances of 0, 1, ... `count` events; by logarithms, for thousands of events."""
    log_hit, log_miss, of_all = math.log(share), math.log1p(-share), math.lgamma(count + 1)
    for k in range(count + 1):
        yield math.exp(of_all - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * log_hit + (count - k) * log_miss)


def _where(holds: Callable[[float], bool]) -> float:
    """Return the smallest share for which the condition holds, which then holds for all larger ones."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2
