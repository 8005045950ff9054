"""The noise of a series with correlated neighbours: its spread, and the correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from acceptance.statistics.robust import winsorize

# Of values winsorized at 1.5 spreads: the remaining share of a normal variance, and the lost share of a correlation.
_VARIANCE_LEFT, _CORRELATION_LOST = 0.7785, 0.08
FEWEST_FOR_CORRELATION = 14
"""The values that an estimate of the correlation needs; with fewer, UNKNOWN_CORRELATION is allowed for."""
UNKNOWN_CORRELATION = 0.6
LEAST_CORRELATION, MOST_CORRELATION = 0.1, 0.8
ABOVE_THE_ESTIMATE = 1.4
"""The standard errors (1/sqrt(n)) by which the correlation that is allowed for exceeds the estimate."""
_EFFICIENCY = 0.6  # of the winsorized variance about a line, in degrees of freedom a value, found by simulation
_MOST_LOST = 0.6


@dataclass(frozen=True, kw_only=True)
class SerialNoise:
    """`variance` of one value; `correlation` between neighbours, cautiously estimated; `degrees` of freedom of both."""

    variance: float
    correlation: float
    degrees: float


def serial_noise(values: Sequence[float]) -> SerialNoise:
    """Return the noise about a line through the values, oldest first, so that a steady decline is no noise.

    The line is Tukey's resistant line (Exploratory Data Analysis, 10): through the medians of the first and of the last
    third. The residuals are winsorized, so that single outlying nights dominate neither the spread nor the correlation.
    The line and a level remove a share of the variance, which is added again. Raises ValueError for fewer than three
    values.
    """
    count = len(values)
    if count < 3:
        raise ValueError(f"expected at least 3 values, found {count}")
    rest = winsorize(_about_a_line(values))
    mean = fmean(rest)
    squares = math.fsum((value - mean) ** 2 for value in rest)
    correlation = UNKNOWN_CORRELATION
    if count >= FEWEST_FOR_CORRELATION:
        correlation = _careful(rest, mean=mean, squares=squares)
    lost_share = min(_MOST_LOST, 2 * variance_of_mean(count, correlation=correlation))
    alike = correlation**2
    return SerialNoise(
        variance=math.fsum(value**2 for value in rest) / count / _VARIANCE_LEFT / (1.0 - lost_share),
        correlation=correlation,
        degrees=max(1.0, _EFFICIENCY * count * (1.0 - alike) / (1.0 + alike)),
    )


def variance_of_mean(count: int, *, correlation: float) -> float:
    """Return the variance of the mean of `count` values, as a share of the variance of one.

    (1 + 2 sum (1 - k/n) r^k) / n of a first-order autoregressive series (Box, Jenkins & Reinsel, Time Series Analysis,
    "Estimation of the mean"), the sum in closed form. Raises ValueError for a correlation outside of 0 to 1.
    """
    if not 0.0 <= correlation < 1.0:
        raise ValueError(f"expected a correlation of at least 0 and below 1, found {correlation}")
    r = correlation
    correlation_sum = r / (1.0 - r) - r * (1.0 - r**count) / (count * (1.0 - r) ** 2)
    return (1.0 + 2.0 * correlation_sum) / count


def _about_a_line(values: Sequence[float]) -> list[float]:
    count = len(values)
    third = count // 3
    slope = (median(values[count - third :]) - median(values[:third])) / (count - third)
    return [value - slope * place for place, value in enumerate(values)]


def _careful(rest: Sequence[float], *, mean: float, squares: float) -> float:
    """Return a cautious lag-1 correlation: the estimate minus its bias, plus its error.

    The bias with n values is -(1 + 4r)/n (Kendall & Stuart, The Advanced Theory of Statistics III, 48.3).
    """
    count = len(rest)
    if squares == 0.0:
        return LEAST_CORRELATION
    neighbours = math.fsum((earlier - mean) * (later - mean) for earlier, later in pairwise(rest))
    estimate = neighbours / squares
    center = estimate * (1.0 + _CORRELATION_LOST) + (1.0 + 4.0 * min(max(estimate, 0.0), MOST_CORRELATION)) / count
    careful = center + ABOVE_THE_ESTIMATE / math.sqrt(count)
    return min(max(careful, LEAST_CORRELATION), MOST_CORRELATION)
