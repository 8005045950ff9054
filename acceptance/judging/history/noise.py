"""The noise of runs: how far they stray from an accepted level without a change, estimated from earlier runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.results.history import TrendPoint
from acceptance.statistics.serial_noise import serial_noise, variance_of_mean
from acceptance.statistics.student_t import t_quantile

WEEK = 7
"""Runs that are judged together. The last `WEEK` runs are not used for the noise, because they are under judgment."""
NOISE_RUNS = 120
"""The latest runs that give the noise: some months, so that its spread and correlation are known."""
USUAL_SPREAD, USUAL_COUNTS = 0.05, 6.0
"""The assumed spread of nights (as a share) before they show their own, and its weight in degrees of freedom."""
_HEAVY_DEGREES = 3
_HEAVY_SPREAD = 1.134  # the spread by median absolute deviation of Student's t with 3 degrees
_NORMAL_REACH = 1.96  # of the records' 95 % intervals; Student's reach is longer, so the errors come out too large


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The distance below an accepted level that noise explains, for two consecutive runs and a week; in logarithms."""

    night: float
    week: float


def noise_reach(logs: Sequence[float], *, level_runs: int, surplus: float, error: float) -> Reach:
    """Return the reach from `logs` of earlier runs, oldest first, for a level that is the mean of `level_runs`.

    `surplus`: variance that the run has in itself beyond that of other runs. `error`: the chance, in one night, that
    noise takes runs beyond each of the two reaches.

    Two consecutive runs: if both are beyond a bound, their mean is too, so that Student's quantile for the mean of two
    correlated runs bounds the chance of both. Each of them is also beyond the quantile of Student's t with 3 degrees
    of freedom for the root of the chance, as independent nights with heavy tails are. The larger counts. Both include
    the level's own error.
    """
    noise = serial_noise(logs[-NOISE_RUNS:])
    degrees = USUAL_COUNTS + noise.degrees
    variance = (USUAL_COUNTS * USUAL_SPREAD**2 + noise.degrees * noise.variance) / degrees
    r = noise.correlation
    level = variance_of_mean(level_runs, correlation=r)
    t = t_quantile(1.0 - error, degrees=int(degrees))
    heavy = t_quantile(1.0 - math.sqrt(error), degrees=_HEAVY_DEGREES) / _HEAVY_SPREAD
    night = max(t * math.sqrt((1.0 + r) / 2 + level), heavy * math.sqrt(1.0 + level))
    week = t * math.sqrt(variance_of_mean(WEEK, correlation=r) + level)
    return Reach(night=night * math.sqrt(variance + surplus), week=week * math.sqrt(variance + surplus / WEEK))


def surpluses(points: Sequence[TrendPoint]) -> list[float]:
    """Return, for each run, oldest first, its own variance beyond that of any run before it; never below zero.

    A run has such a surplus if it was decided sooner, for example. The usual variance of runs is part of the noise.
    """
    values: list[float] = []
    most = math.inf
    for place, point in enumerate(points):
        within = _variance_within(point)
        values.append(max(0.0, within - most) if place else 0.0)
        most = within if place == 0 else max(most, within)
    return values


def _variance_within(point: TrendPoint) -> float:
    """Return the variance of the mean's logarithm, from its interval; zero if there is none."""
    if not point.low or not point.high:
        return 0.0
    return (math.log(point.high / point.low) / 2 / _NORMAL_REACH) ** 2
