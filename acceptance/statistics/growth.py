"""Whether a series grows steadily: a line through the medians of a few long parts of it, and both its halves.

Meant for the memory of a program: neighbours are alike, it is let go of in steps (a sawtooth), and what a cache takes
once is a step too. A line alone takes a step for growth; that both halves grow by themselves, no single step does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from acceptance.statistics.intervals import allowance
from acceptance.statistics.student_t import t_quantile

PARTS = 8
"""four a half"""
LEAST_S = 1200.0
"""from the first value to the last: of memory that 10 s later is correlated by 0.9, parts of 150 s are by 0.4"""
FEWEST = 4
"""values in a part: kubelets look at a pod every 10 to 30 s, at a quiet one every 22 s on average"""
LEAST_SHARE = 0.25
"""of the whole's growth, that each half must have by itself: a single step leaves only noise to the other half"""
PARTS_CORRELATION = 0.4
"""what the interval allows for; see the promises in selftests/unit/test_growth.py"""


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Of the values, a second; `low` and `high` are its interval, `first` and `second` what each half shows alone."""

    mean: float
    low: float
    high: float
    first: float
    second: float

    def is_steady_above(self, limit: float) -> bool:
        """Whether it is above the limit for certain, and goes on in each half by itself."""
        return self.low > limit and min(self.first, self.second) > max(limit, LEAST_SHARE * self.mean)


def growth(times_s: Sequence[float], values: Sequence[float], *, confidence: float) -> Growth | None:
    """Of values at rising times. None where these are too short a time, or a part of it has too few, to say anything.

    The line is that of least squares through the medians of PARTS equal parts of the time, its interval Student's,
    wider by what neighbouring parts share (`allowance`).
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
    """Slope of the line through values at equal distances, and its standard error."""
    places = [place - (len(values) - 1) / 2 for place in range(len(values))]
    squares, middle = math.fsum(place**2 for place in places), fmean(values)
    slope = math.fsum(place * value for place, value in zip(places, values, strict=True)) / squares
    rest = math.fsum((value - middle - slope * place) ** 2 for place, value in zip(places, values, strict=True))
    return slope, math.sqrt(rest / (len(values) - 2) / squares)
