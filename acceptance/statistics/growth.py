"""The test whether a series grows steadily: a line through the medians of a few long parts, and both halves.

It is meant for the memory of a program: neighbours are similar, memory is released in steps (a sawtooth), and a cache
that fills once is a step too. A line alone mistakes a step for growth; but no single step makes both halves grow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from acceptance.statistics.intervals import allowance
from acceptance.statistics.student_t import t_quantile

PARTS = 8
"""The parts of the series, four in each half."""
LEAST_S = 1200.0
"""The shortest series (s): if memory is correlated by 0.9 after 10 s, parts of 150 s are correlated by 0.4."""
FEWEST = 4
"""The fewest values in a part: kubelets poll a pod every 10 to 30 s, an idle one every 22 s on average."""
LEAST_SHARE = 0.25
"""The share of the total growth that each half must have: a single step leaves only noise to the other half."""
PARTS_CORRELATION = 0.4
"""The correlation of parts that the interval allows for; see the promises in selftests/unit/test_growth.py."""


@dataclass(frozen=True, kw_only=True)
class Growth:
    """The growth of values per second; `low` and `high` are its interval, `first` and `second` that of each half."""

    mean: float
    low: float
    high: float
    first: float
    second: float

    def is_steady_above(self, limit: float) -> bool:
        """Return whether the growth is certainly above the limit, and continues in each half."""
        return self.low > limit and min(self.first, self.second) > max(limit, LEAST_SHARE * self.mean)


def growth(times_s: Sequence[float], values: Sequence[float], *, confidence: float) -> Growth | None:
    """Return the growth of values at rising times; None if the time is too short, or a part of it has too few values.

    The line is that of least squares through the medians of PARTS equal parts of the time. Its interval is Student's,
    widened for the correlation of neighbouring parts (`allowance`).
    """
    if not times_s or times_s[-1] - times_s[0] < LEAST_S:
        return None
    part_s = (times_s[-1] - times_s[0]) / PARTS
    parts: list[list[float]] = [[] for _ in range(PARTS)]
    for at_s, value in zip(times_s, values, strict=True):
        parts[min(PARTS - 1, int((at_s - times_s[0]) / part_s))].append(value)
    if min(map(len, parts)) < FEWEST:
        return None
    middles = [median(part) for part in parts]
    mean, error = _line(middles)
    reach = t_quantile(0.5 + confidence / 2, degrees=PARTS - 2) * error * allowance(PARTS_CORRELATION)
    half = PARTS // 2
    return Growth(
        mean=mean / part_s,
        low=(mean - reach) / part_s,
        high=(mean + reach) / part_s,
        first=_line(middles[:half])[0] / part_s,
        second=_line(middles[half:])[0] / part_s,
    )


def _line(values: Sequence[float]) -> tuple[float, float]:
    """Return the slope of the line through values at equal distances, and its standard error."""
    places = [place - (len(values) - 1) / 2 for place in range(len(values))]
    squares, middle = math.fsum(place**2 for place in places), fmean(values)
    slope = math.fsum(place * value for place, value in zip(places, values, strict=True)) / squares
    rest = math.fsum((value - middle - slope * place) ** 2 for place, value in zip(places, values, strict=True))
    return slope, math.sqrt(rest / (len(values) - 2) / squares)
