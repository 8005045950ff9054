"""The time of an unmeasured size, from the times of two measured sizes: a straight line through them.

A part of the time does not grow with the size (to begin, to find the missing data), and a part does. One size cannot
distinguish them. Pure; times in s, sizes in any unit.
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
        """Return the time of a size."""
        return self.start_up_s + size * self.pace

    def size(self, seconds: float) -> float:
        """Return the size for a time; infinite if larger sizes take no longer, zero if the time is too short."""
        return max(0.0, (seconds - self.start_up_s) / self.pace) if self.pace > 0.0 else math.inf


def line(smaller: Point, larger: Point) -> Line:
    """Return the line through both. Raises ValueError unless the second is larger and no value is negative."""
    if not 0.0 < smaller.size < larger.size or not 0.0 <= min(smaller.seconds, larger.seconds) < math.inf:
        raise ValueError(f"expected two sizes, the larger last, and their times, found {smaller} and {larger}")
    pace = (larger.seconds - smaller.seconds) / (larger.size - smaller.size)
    return Line(smaller.seconds - smaller.size * pace, pace)


@dataclass(frozen=True, kw_only=True)
class RepeatedTiming:
    """The times of one size, measured several times independently."""

    size: float
    seconds: Sequence[float]

    @property
    def mean(self) -> Point:
        """The mean of the times."""
        return Point(self.size, fmean(self.seconds))


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The standard errors of the mean times of both sizes, and Student's quantile for them."""

    smaller_s: float
    larger_s: float
    t: float


def errors_of(smaller: RepeatedTiming, larger: RepeatedTiming, *, confidence: float) -> Errors | None:
    """Return the errors; None if either size was timed fewer than three times.

    The spread is relative to the mean and from both sizes together, with n1 + n2 - 2 degrees of freedom: a pooled
    estimate (Snedecor & Cochran, Statistical Methods, 6.9). The relative spread of short rebuilds is not smaller than
    that of long ones, so it is right or too wide for the larger size, on which an extrapolation depends most.
    """
    if min(len(smaller.seconds), len(larger.seconds)) < MINIMUM_BATCHES:
        return None
    squares = math.fsum(
        (duration / timing.mean.seconds - 1.0) ** 2 for timing in (smaller, larger) for duration in timing.seconds
    )
    degrees = len(smaller.seconds) + len(larger.seconds) - 2
    spread = math.sqrt(squares / degrees)
    of_mean = [spread * timing.mean.seconds / math.sqrt(len(timing.seconds)) for timing in (smaller, larger)]
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    return Errors(smaller_s=of_mean[0], larger_s=of_mean[1], t=t)


def seconds_at(size: float, smaller: RepeatedTiming, larger: RepeatedTiming, *, errors: Errors) -> Interval:
    """Return the time of a size with its interval; `low` may be below zero.

    If the size exceeds the larger one by k times the difference of both, the time is t2 + k (t2 - t1), and its error is
    that of (1 + k) t2 and k t1.
    """
    mean = line(smaller.mean, larger.mean).seconds(size)
    k = (size - larger.size) / (larger.size - smaller.size)
    reach = errors.t * math.hypot((1 + k) * errors.larger_s, k * errors.smaller_s)
    return Interval(mean, mean - reach, mean + reach)


def size_in(seconds: float, smaller: RepeatedTiming, larger: RepeatedTiming, *, errors: Errors) -> Interval:
    """Return the size for a time, with its interval: all sizes whose `seconds_at` includes that time.

    `high` is infinite if the times do not show that more data takes longer. It is the interval of a calibration
    (Fieller, JRSS B 16, 1954; Draper & Smith, Applied Regression Analysis, "Inverse regression").
    """
    between = larger.size - smaller.size
    excess, more = seconds - larger.mean.seconds, larger.mean.seconds - smaller.mean.seconds
    first, second = (errors.t * errors.smaller_s) ** 2, (errors.t * errors.larger_s) ** 2
    # (excess - k more)^2 = (1 + k)^2 second + k^2 first, for k
    square, half, rest = more**2 - first - second, excess * more + second, excess**2 - second
    root = math.sqrt(max(0.0, half**2 - square * rest))
    low = larger.size + between * rest / (half + root) if half + root > 0.0 else 0.0
    high = larger.size + between * (half + root) / square if more > 0.0 < square else math.inf
    return Interval(line(smaller.mean, larger.mean).size(seconds), max(0.0, low), high)
