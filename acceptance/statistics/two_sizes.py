"""How long a size takes that nobody measured, from the times of two that were: a straight line through them.

A part of the time does not grow with the size (to begin, to find out what lacks), and a part does. One size cannot tell
them apart. Pure; times in s, sizes in any unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from acceptance.statistics.intervals import MINIMUM_BATCHES, Interval
from acceptance.statistics.student_t import t_quantile


class Point(NamedTuple):
    """A size, and the time that it took."""

    size: float
    seconds: float


class Line(NamedTuple):
    """The time of a size: `start_up_s` and `size * pace`."""

    start_up_s: float
    pace: float

    def seconds(self, size: float) -> float:
        """What that size takes."""
        return self.start_up_s + size * self.pace

    def size(self, seconds: float) -> float:
        """What is done in so long; infinite where more takes no longer, zero where it does not suffice to begin."""
        return max(0.0, (seconds - self.start_up_s) / self.pace) if self.pace > 0.0 else math.inf


def line(smaller: Point, larger: Point) -> Line:
    """Through both. Raises ValueError unless the second is larger and nothing is below zero."""
    if not 0.0 < smaller.size < larger.size or not 0.0 <= min(smaller.seconds, larger.seconds) < math.inf:
        raise ValueError(f"wanted two sizes, the larger last, and their times, found {smaller} and {larger}")
    pace = (larger.seconds - smaller.seconds) / (larger.size - smaller.size)
    return Line(smaller.seconds - smaller.size * pace, pace)


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A size that was timed several times, each independent of the others."""

    size: float
    seconds: Sequence[float]

    @property
    def mean(self) -> Point:
        """The mean of its times."""
        return Point(self.size, fmean(self.seconds))


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The standard errors of the mean times of both sizes, and Student's quantile for them."""

    smaller_s: float
    larger_s: float
    t: float


def errors_of(smaller: Repeated, larger: Repeated, *, confidence: float) -> Errors | None:
    """None where either was timed fewer than three times.

    The spread is taken relative to the mean and from both sizes together, with n1 + n2 - 2 degrees of freedom: a pooled
    estimate (Snedecor & Cochran, Statistical Methods, 6.9). Short rebuilds differ by no smaller part of their time than
    long ones, so that it is right or too wide for the larger size, which an extrapolation rests on most.
    """
    if min(len(smaller.seconds), len(larger.seconds)) < MINIMUM_BATCHES:
        return None
    squares = math.fsum(
        (duration / one.mean.seconds - 1.0) ** 2 for one in (smaller, larger) for duration in one.seconds
    )
    degrees = len(smaller.seconds) + len(larger.seconds) - 2
    spread = math.sqrt(squares / degrees)
    of_mean = [spread * one.mean.seconds / math.sqrt(len(one.seconds)) for one in (smaller, larger)]
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    return Errors(smaller_s=of_mean[0], larger_s=of_mean[1], t=t)


def seconds_at(size: float, smaller: Repeated, larger: Repeated, *, errors: Errors) -> Interval:
    """The time of that size with its interval; `low` may be below zero.

    Beyond the larger size by k times what lies between both, the time is t2 + k (t2 - t1), and its error that of
    (1 + k) t2 and k t1.
    """
    mean = line(smaller.mean, larger.mean).seconds(size)
    k = (size - larger.size) / (larger.size - smaller.size)
    reach = errors.t * math.hypot((1 + k) * errors.larger_s, k * errors.smaller_s)
    return Interval(mean, mean - reach, mean + reach)


def size_in(seconds: float, smaller: Repeated, larger: Repeated, *, errors: Errors) -> Interval:
    """The size that takes so long, with its interval: all sizes whose `seconds_at` holds that time.

    `high` is infinite where the times do not tell that more data takes longer. The interval of a calibration (Fieller,
    JRSS B 16, 1954; Draper & Smith, Applied Regression Analysis, "Inverse regression").
    """
    between = larger.size - smaller.size
    left, more = seconds - larger.mean.seconds, larger.mean.seconds - smaller.mean.seconds
    first, second = (errors.t * errors.smaller_s) ** 2, (errors.t * errors.larger_s) ** 2
    # (left - k more)^2 = (1 + k)^2 second + k^2 first, for k
    square, half, rest = more**2 - first - second, left * more + second, left**2 - second
    root = math.sqrt(max(0.0, half**2 - square * rest))
    low = larger.size + between * rest / (half + root) if half + root > 0.0 else 0.0
    high = larger.size + between * (half + root) / square if more > 0.0 < square else math.inf
    return Interval(line(smaller.mean, larger.mean).size(seconds), max(0.0, low), high)
