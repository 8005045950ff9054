"""How sure a mean is when neighbouring seconds resemble each other: batch means.

Per-second samples are joined into batches long enough to be nearly independent, and the interval comes from the
batches (Law, Simulation Modeling and Analysis, "Batch means"). What neighbouring batches still share is allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple, TypeVar

from acceptance.statistics.student_t import t_quantile

T = TypeVar("T")

MINIMUM_BATCHES = 3
BATCH_CORRELATION = 0.25
"""The lag-1 correlation between neighbouring batches that an interval allows for, unless a plan of looks has its own.

It is fixed, not estimated: from nine batches it cannot be estimated well, and the estimate's own noise costs more
than it gives. Batches of 4 s are correlated by 0.21 when seconds are by 0.5, and by 0.41 when seconds are by 0.7.
"""


class Interval(NamedTuple):
    """A mean and its two-sided confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def batches(series: Sequence[T], *, length: int) -> list[Sequence[T]]:
    """`series` cut into batches of `length` samples; samples left at the end that fill no batch are dropped.

    Call it once for each segment of a measurement, so that no batch spans two. Raises ValueError if length < 1.
    """
    if length < 1:
        raise ValueError(f"wanted batches of at least one sample, found a length of {length}")
    return [series[start : start + length] for start in range(0, len(series) - length + 1, length)]


def standard_error(values: Sequence[float], *, correlation: float = BATCH_CORRELATION) -> float:
    """The standard error of the mean of `values` whose neighbours are correlated by `correlation`.

    s / sqrt(n), times sqrt((1 + r) / (1 - r)), the factor of a first-order autoregressive series
    (Box, Jenkins & Reinsel, Time Series Analysis, "Estimation of the mean").
    """
    return stdev(values) / math.sqrt(len(values)) * math.sqrt((1 + correlation) / (1 - correlation))


def interval(batch_values: Sequence[float], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Interval:
    """The mean of the batches with its two-sided interval, never below zero: mean * exp(+-t * error / mean).

    Student's interval on the logarithm of the mean (delta method, Casella & Berger, Statistical Inference, 5.5.4):
    noise of rates and latencies grows with their size, and a factor of two up or down is the same distance.
    All batches zero: the interval is zero. Raises ValueError for fewer than MINIMUM_BATCHES batches, for negative
    values and for values that are not finite.
    """
    if len(batch_values) < MINIMUM_BATCHES:
        raise ValueError(f"wanted at least {MINIMUM_BATCHES} batches, found {len(batch_values)}")
    if not all(math.isfinite(value) and value >= 0.0 for value in batch_values):
        raise ValueError(f"wanted finite values of at least zero, found {list(batch_values)}")
    mean = fmean(batch_values)
    if mean == 0.0:
        return Interval(0.0, 0.0, 0.0)
    t = t_quantile(0.5 + confidence / 2, degrees=len(batch_values) - 1)
    reach = t * standard_error(batch_values, correlation=correlation) / mean
    return Interval(mean, mean * math.exp(-reach), mean * math.exp(reach))
