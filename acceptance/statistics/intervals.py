"""The confidence interval of a mean if neighbouring seconds are correlated: batch means.

Samples are joined into batches long enough to be nearly independent, and the interval comes from the batches (Law,
Simulation Modeling and Analysis, "Batch means"). The remaining correlation of neighbouring batches is allowed for.
Batches differ in weight: a stall makes one long, and a slow one has few operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from acceptance.statistics.student_t import t_quantile

MINIMUM_BATCHES = 3
BATCH_CORRELATION = 0.25
"""The lag-1 correlation between neighbouring batches that an interval allows for, unless a plan has its own.

It is fixed, not estimated: nine batches do not suffice for a good estimate, whose own noise costs more than it gains.
Batches of 4 s are correlated by 0.21 if seconds are correlated by 0.5, and by 0.41 if seconds are by 0.7.
"""
CHECKED_BATCHES = 12
"""The fewest batches that show whether neighbours are correlated by more than that."""
LET_PASS = 0.15
"""The standard errors of the observed correlation that are tolerated."""
MOST_CORRELATION = 0.9
"""The largest correlation that is allowed for: a larger one would leave no decision possible."""
SECONDS_CORRELATION = 0.5
"""The largest correlation of neighbouring seconds for which the promises of docs/statistics.md hold."""
MOST_REACH = 700.0
"""The exponent beyond which an exponential is infinite."""


class Interval(NamedTuple):
    """A mean and its two-sided confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def correlation_of_batches(length_s: int) -> float:
    """Return `correlation_of_sums`, and at least the correlation that is always allowed for."""
    return max(BATCH_CORRELATION, correlation_of_sums(length_s))


def correlation_of_sums(length_s: int) -> float:
    """Return the correlation between neighbouring batches of `length_s` if neighbouring seconds are correlated by 0.5.

    It is that of sums of m values of a first-order autoregressive series r (Box, Jenkins & Reinsel, Time Series
    Analysis, 3.2): 0.5, 0.375, 0.28 and 0.21 for 1 to 4 s, 0.14 and 0.04 for 6 and 20 s.
    """
    r, m = SECONDS_CORRELATION, length_s
    covariance = r * ((1 - r**m) / (1 - r)) ** 2
    variance = m * (1 + r) / (1 - r) - 2 * r * (1 - r**m) / (1 - r) ** 2
    return covariance / variance


class Part(NamedTuple):
    """The part that a batch adds to a mean: an amount, and the weight that divides it (operations and seconds)."""

    amount: float
    weight: float


def standard_error(values: Sequence[float], *, correlation: float = BATCH_CORRELATION) -> float:
    """Return the standard error of the mean of `values`: s / sqrt(n), with the allowance of `error_of_sum`."""
    mean = fmean(values)
    return error_of_sum([(value - mean) / len(values) for value in values], correlation=correlation)


def error_of_sum(deviations: Sequence[float], *, correlation: float) -> float:
    """Return the standard error of a sum, from the difference of each part from its expected value.

    Neighbours are correlated by `correlation`, or by the observed amount if that is larger (`seen_correlation`).
    """
    count = len(deviations)
    independent = math.sqrt(count / (count - 1) * math.fsum(deviation * deviation for deviation in deviations))
    return independent * allowance(seen_correlation(deviations, least=correlation))


def allowance(correlation: float) -> float:
    """Return the factor by which correlated neighbours widen an interval: sqrt((1 + r) / (1 - r)).

    It is the factor of a first-order autoregressive series (Box, Jenkins & Reinsel, Time Series Analysis, "Estimation
    of the mean").
    """
    return math.sqrt((1 + correlation) / (1 - correlation))


def seen_correlation(deviations: Sequence[float], *, least: float) -> float:
    """Return the observed lag-1 correlation of neighbours, but at least `least`, so it can only widen an interval.

    1 + r is the factor by which the variance over two batches exceeds that of independent ones: with batches of four
    seconds, it shows if the variance still grows at eight. The bias of an estimate from n values is subtracted:
    -(1 + 4r)/n (Kendall & Stuart, The Advanced Theory of Statistics III, 48.3). A small part of its standard error,
    1/sqrt(n), is tolerated, so that noise within the promises is seldom widened by much. Fewer than `CHECKED_BATCHES`
    show nothing, and single seconds have their own allowance.
    """
    count, squares = len(deviations), math.fsum(deviation * deviation for deviation in deviations)
    if count < CHECKED_BATCHES or squares == 0.0 or least >= SECONDS_CORRELATION:
        return least
    estimate = math.fsum(earlier * later for earlier, later in pairwise(deviations)) / squares
    lower_estimate = estimate + (1 + 4 * estimate) / count - LET_PASS / math.sqrt(count)
    return min(max(least, lower_estimate), max(least, MOST_CORRELATION))


def interval(batch_values: Sequence[float], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Interval:
    """Return the mean of the batches with its two-sided interval, never below zero: mean * exp(+-t * error / mean).

    It is Student's interval on the logarithm of the mean (delta method, Casella & Berger, Statistical Inference,
    5.5.4): noise of rates and latencies grows with their size, and a factor of two up or down is the same distance.
    If all batches are zero, the interval is zero. Raises ValueError for fewer than MINIMUM_BATCHES batches, for
    negative values and for values that are not finite.
    """
    return weighted_interval(
        [Part(value, 1.0) for value in batch_values], confidence=confidence, correlation=correlation
    )


def weighted_interval(parts: Sequence[Part], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Interval:
    """Return all amounts / all weights, with an interval as that of `interval`, which it equals for equal weights.

    The error is `ratio_error`. A few heavy batches among many light ones say as little as a few, so the degrees of
    freedom are those of the effective number of batches.
    Raises ValueError as `interval` does, and for weights that are not above zero.
    """
    count = len(parts)
    if count < MINIMUM_BATCHES:
        raise ValueError(f"expected at least {MINIMUM_BATCHES} batches, found {count}")
    if not all(math.isfinite(part.amount) and part.amount >= 0.0 < part.weight < math.inf for part in parts):
        raise ValueError(f"expected finite values of at least zero, and weights above it, found {list(parts)}")
    mean = math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts)
    if mean == 0.0:
        return Interval(0.0, 0.0, 0.0)
    degrees = max(1, round(effective_batches([part.weight for part in parts])) - 1)
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    reach = t * ratio_error(parts, correlation=correlation) / mean
    return Interval(mean, mean * math.exp(-reach), mean * math.exp(reach) if reach < MOST_REACH else math.inf)


def ratio_error(parts: Sequence[Part], *, correlation: float) -> float:
    """Return the error of all amounts / all weights, with the allowance of `error_of_sum`.

    It is that of a ratio estimator (Cochran, Sampling Techniques, 6.4), from each amount's difference to its weight's
    part.
    """
    return error_of_sum(deviations(parts), correlation=correlation)


def deviations(parts: Sequence[Part]) -> list[float]:
    """Return by how much each part moves the mean of all: its excess over its weight's part / all weights."""
    weight = math.fsum(part.weight for part in parts)
    mean = math.fsum(part.amount for part in parts) / weight
    return [(part.amount - mean * part.weight) / weight for part in parts]


def effective_batches(weights: Sequence[float]) -> float:
    """Return the equivalent number of batches of equal weight: sum(w)^2 / sum(w^2) (Kish, Survey Sampling, 11.7)."""
    return math.fsum(weights) ** 2 / math.fsum(weight**2 for weight in weights)
