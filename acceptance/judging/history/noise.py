"""By how much runs stray from an accepted level although nothing has changed: from the runs before, by their noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.results.history import TrendPoint
from acceptance.statistics.serial_noise import serial_noise, variance_of_mean
from acceptance.statistics.student_t import t_quantile

WEEK = 7
"""runs that are looked at together; the last so many tell nothing of the noise, for they are what is asked about"""
NOISE_RUNS = 120
"""the latest runs that tell of the noise: some months, so that its spread and correlation are known"""
USUAL_SPREAD, USUAL_COUNTS = 0.05, 6.0
"""What nights are taken to differ by (as a share) before they have shown it, and as how many degrees of freedom."""
_HEAVY_DEGREES = 3
_HEAVY_SPREAD = 1.134  # what a median absolute deviation makes of the spread of Student's t with 3 degrees
_NORMAL_REACH = 1.96  # of the records' 95 % intervals; Student's reach is longer, so the errors come out too large


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How far below an accepted level noise alone takes two runs in a row, and the level of a week; in logarithms."""

    night: float
    week: float


def noise_reach(logs: Sequence[float], *, level_runs: int, surplus: float, error: float) -> Reach:
    """From `logs` of earlier runs, oldest first, for a level that is the mean of `level_runs`.

    `surplus`: variance that the run has in itself beyond that of others. `error`: the chance, in one night, that noise
    takes runs beyond each of both.

    Two runs in a row: their mean is beyond it too, so that Student's quantile for the mean of two that are alike
    bounds the chance of both; and both by themselves are beyond the quantile of Student's t with 3 degrees of freedom
    for the root of the chance, as nights with heavy tails that do not know of each other are. The larger counts. The
    level's own error is in each.
    """
    seen = serial_noise(logs[-NOISE_RUNS:])
    degrees = USUAL_COUNTS + seen.degrees
    variance = (USUAL_COUNTS * USUAL_SPREAD**2 + seen.degrees * seen.variance) / degrees
    r = seen.correlation
    level = variance_of_mean(level_runs, correlation=r)
    t = t_quantile(1.0 - error, degrees=int(degrees))
    heavy = t_quantile(1.0 - math.sqrt(error), degrees=_HEAVY_DEGREES) / _HEAVY_SPREAD
    night = max(t * math.sqrt((1.0 + r) / 2 + level), heavy * math.sqrt(1.0 + level))
    week = t * math.sqrt(variance_of_mean(WEEK, correlation=r) + level)
    return Reach(night=night * math.sqrt(variance + surplus), week=week * math.sqrt(variance + surplus / WEEK))


def surpluses(points: Sequence[TrendPoint]) -> list[float]:
    """Of each run, oldest first, the variance that it has in itself beyond that of any before it; never below zero.

    As where it was decided sooner. What runs usually have in themselves is part of how nights differ.
    """
    found: list[float] = []
    most = math.inf
    for place, point in enumerate(points):
        within = _variance_within(point)
        found.append(max(0.0, within - most) if place else 0.0)
        most = within if place == 0 else max(most, within)
    return found


def _variance_within(point: TrendPoint) -> float:
    """Of the logarithm of the mean, from its interval; zero where there is none."""
    if not point.low or not point.high:
        return 0.0
    return (math.log(point.high / point.low) / 2 / _NORMAL_REACH) ** 2
