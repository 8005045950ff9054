"""What a new run would show if nothing had changed: from the runs before it, their variation from night to night
included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from acceptance.limits.history import FEWEST_RUNS
from acceptance.results.history import TrendPoint
from acceptance.statistics.student_t import t_quantile

_NORMAL_REACH = 1.96  # of the records' 95 % intervals; Student's reach is longer, so the errors come out too large


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """Where the logarithm of a new run's value lies if nothing has changed: `middle` +- `reach`."""

    middle: float
    reach: float
    runs: int
    """earlier runs whose mean is the middle"""


def expectation(points: Sequence[TrendPoint], this: TrendPoint, *, runs: int, error: float) -> Expectation:
    """A prediction interval for the value of `this` run from `points`, earlier ones, oldest first; all above zero.

    middle +- t * sqrt(s^2 * (1 + 1/k) + u) on logarithms: the interval for one further value of a normal sample (Hahn
    & Meeker, Statistical Intervals, "Prediction interval to contain a single future observation"). The middle is the
    mean of the last `runs` points, k of them. s is the spread of all points: what varies from night to night and what
    varies within a run are both in it. u is the variance that this run has within itself beyond that of any earlier
    one, as where it was measured for a shorter time; it is never below zero. (From a few batches a variance is hardly
    known, so that half of all runs are beyond the average.) `error`: the chance that a run in which nothing has changed
    lies outside, both sides together.

    Raises ValueError for fewer than FEWEST_RUNS points.
    """
    if len(points) < FEWEST_RUNS:
        raise ValueError(f"wanted at least {FEWEST_RUNS} earlier runs, found {len(points)}")
    logs = [math.log(point.mean) for point in points]
    compared = logs[-runs:]
    surplus = max(0.0, _variance_within(this) - max(_variance_within(point) for point in points))
    spread = math.sqrt(stdev(logs) ** 2 * (1 + 1 / len(compared)) + surplus)
    t = t_quantile(1.0 - error / 2, degrees=len(logs) - 1)
    return Expectation(middle=fmean(compared), reach=t * spread, runs=len(compared))


def _variance_within(point: TrendPoint) -> float:
    """Of the logarithm of the mean, from its interval; zero where there is none."""
    if not point.low or not point.high:
        return 0.0
    return (math.log(point.high / point.low) / 2 / _NORMAL_REACH) ** 2
