"""How sure a mean is when neighbouring seconds resemble each other: batch means.

Samples are joined into batches long enough to be nearly independent, and the interval comes from the batches (Law,
Simulation Modeling and Analysis, "Batch means"). What neighbouring batches still share is allowed for. Batches are not
all of the same weight: a standstill makes one long, and a slow one holds few operations.
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
"""The lag-1 correlation between neighbouring batches that an interval allows for, unless a plan of looks has its own.

It is fixed, not estimated: from nine batches it cannot be estimated well, and the estimate's own noise costs more
than it gives. Batches of 4 s are correlated by 0.21 when seconds are by 0.5, and by 0.41 when seconds are by 0.7.
"""
CHECKED_BATCHES = 12
"""the fewest from which it is seen that neighbours are correlated by more than that"""
LET_PASS = 0.15
"""standard errors of what is seen"""
MOST_CORRELATION = 0.9
"""what is taken for more leaves nothing to decide"""
SECONDS_CORRELATION = 0.5
"""the largest correlation of neighbouring seconds for which the promises of docs/statistics.md hold"""
MOST_REACH = 700.0
"""beyond it an exponential is infinite"""


class Interval(NamedTuple):
    """A mean and its two-sided confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def correlation_of_batches(length_s: int) -> float:
    """That of `correlation_of_sums`, and never below what is allowed for in any case."""
    return max(BATCH_CORRELATION, correlation_of_sums(length_s))


def correlation_of_sums(length_s: int) -> float:
    """The correlation between neighbouring batches of so many seconds where neighbouring seconds are correlated by 0.5.

    Of sums of m values of a first-order autoregressive series r (Box, Jenkins & Reinsel, Time Series Analysis, 3.2):
    0.5, 0.375, 0.28 and 0.21 for 1 to 4 s, 0.14 and 0.04 for 6 and 20 s.
    """
    r, m = SECONDS_CORRELATION, length_s
    covariance = r * ((1 - r**m) / (1 - r)) ** 2
    variance = m * (1 + r) / (1 - r) - 2 * r * (1 - r**m) / (1 - r) ** 2
    return covariance / variance


class Part(NamedTuple):
    """What a batch adds to a mean: an amount, and the weight that it is divided by (operations and seconds)."""

    amount: float
    weight: float


def standard_error(values: Sequence[float], *, correlation: float = BATCH_CORRELATION) -> float:
    """The standard error of the mean of `values`: s / sqrt(n), with the allowance of `error_of_sum`."""
    mean = fmean(values)
    return error_of_sum([(value - mean) / len(values) for value in values], correlation=correlation)


def error_of_sum(deviations: Sequence[float], *, correlation: float) -> float:
    """The standard error of a sum, from what each of its parts differs from what was to be expected of it.

    Neighbours are correlated by `correlation`, or by as much as they are seen to be (`seen_correlation`).
    """
    count = len(deviations)
    independent = math.sqrt(count / (count - 1) * math.fsum(deviation * deviation for deviation in deviations))
    return independent * allowance(seen_correlation(deviations, least=correlation))


def allowance(correlation: float) -> float:
    """How many times as wide an interval is for neighbours that are correlated: sqrt((1 + r) / (1 - r)).

    The factor of a first-order autoregressive series (Box, Jenkins & Reinsel, Time Series Analysis, "Estimation of the
    mean").
    """
    return math.sqrt((1 + correlation) / (1 - correlation))


def seen_correlation(deviations: Sequence[float], *, least: float) -> float:
    """The lag-1 correlation of neighbours as it is seen, where that is more than `least`; so it can only widen.

    1 + r is by how much the variance over two batches exceeds that of independent ones: of batches of four seconds it
    tells whether the variance still grows at eight. The bias of an estimate from n values is taken off: -(1 + 4r)/n
    (Kendall & Stuart, The Advanced Theory of Statistics III, 48.3); little of its standard error, 1/sqrt(n), is let
    pass, so that noise as it is promised for is seldom widened by much. Fewer than `CHECKED_BATCHES` tell nothing, and
    single seconds have their allowance.
    """
    count, squares = len(deviations), math.fsum(deviation * deviation for deviation in deviations)
    if count < CHECKED_BATCHES or squares == 0.0 or least >= SECONDS_CORRELATION:
        return least
    found = math.fsum(one * other for one, other in pairwise(deviations)) / squares
    seen = found + (1 + 4 * found) / count - LET_PASS / math.sqrt(count)
    return min(max(least, seen), max(least, MOST_CORRELATION))


def interval(batch_values: Sequence[float], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Interval:
    """The mean of the batches with its two-sided interval, never below zero: mean * exp(+-t * error / mean).

    Student's interval on the logarithm of the mean (delta method, Casella & Berger, Statistical Inference, 5.5.4):
    noise of rates and latencies grows with their size, and a factor of two up or down is the same distance.
    All batches zero: the interval is zero. Raises ValueError for fewer than MINIMUM_BATCHES batches, for negative
    values and for values that are not finite.
    """
    return weighted_interval(
        [Part(value, 1.0) for value in batch_values], confidence=confidence, correlation=correlation
    )


def weighted_interval(parts: Sequence[Part], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Interval:
    """All amounts by all weights, with an interval as that of `interval`: the same where all weights are.

    The error is `ratio_error`. Few heavy batches among many light ones tell as little as few, so the degrees of freedom
    are those of the effective number of batches.
    Raises ValueError as `interval` does, and for weights that are not above zero.
    """
    count = len(parts)
    if count < MINIMUM_BATCHES:
        raise ValueError(f"wanted at least {MINIMUM_BATCHES} batches, found {count}")
    if not all(math.isfinite(part.amount) and part.amount >= 0.0 < part.weight < math.inf for part in parts):
        raise ValueError(f"wanted finite values of at least zero, and weights above it, found {list(parts)}")
    mean = math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts)
    if mean == 0.0:
        return Interval(0.0, 0.0, 0.0)
    degrees = max(1, round(effective_batches([part.weight for part in parts])) - 1)
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    reach = t * ratio_error(parts, correlation=correlation) / mean
    return Interval(mean, mean * math.exp(-reach), mean * math.exp(reach) if reach < MOST_REACH else math.inf)


def ratio_error(parts: Sequence[Part], *, correlation: float) -> float:
    """The error of all amounts by all weights, with the allowance of `error_of_sum`.

    That of a ratio estimator (Cochran, Sampling Techniques, 6.4): from what each amount differs from its weight's part.
    """
    return error_of_sum(deviations(parts), correlation=correlation)


def deviations(parts: Sequence[Part]) -> list[float]:
    """By how much each part moves the mean of all: what it has more than its weight's part, by all weights."""
    weight = math.fsum(part.weight for part in parts)
    mean = math.fsum(part.amount for part in parts) / weight
    return [(part.amount - mean * part.weight) / weight for part in parts]


def effective_batches(weights: Sequence[float]) -> float:
    """As many of equal weight tell as much: sum(w)^2 / sum(w^2) (Kish, Survey Sampling, 11.7)."""
    return math.fsum(weights) ** 2 / math.fsum(weight**2 for weight in weights)
