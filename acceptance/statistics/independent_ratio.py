"""The ratio of two independent means, with its interval: two steps of a scale run, measured one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from acceptance.statistics.intervals import BATCH_CORRELATION, MINIMUM_BATCHES, Interval, standard_error
from acceptance.statistics.student_t import t_quantile


def independent_ratio(
    numerator: Sequence[float],
    denominator: Sequence[float],
    *,
    confidence: float,
    correlation: float = BATCH_CORRELATION,
) -> Interval | None:
    """mean(numerator) / mean(denominator) and its two-sided interval; None where one has too few batches or is zero.

    On the logarithm, where the errors of the two means add up (delta method, Casella & Berger, Statistical Inference,
    5.5.4), with the degrees of freedom of Welch and Satterthwaite (Welch, Biometrika 34, 1947). What neighbouring
    batches share is allowed for as in `acceptance.statistics.intervals`, with `correlation`.
    """
    if min(len(numerator), len(denominator)) < MINIMUM_BATCHES:
        return None
    means = fmean(numerator), fmean(denominator)
    if not all(mean > 0.0 and math.isfinite(mean) for mean in means):
        return None
    errors = [
        (standard_error(values, correlation=correlation) / mean) ** 2
        for values, mean in zip((numerator, denominator), means, strict=True)
    ]
    ratio, variance = means[0] / means[1], sum(errors)
    if variance == 0.0:
        return Interval(ratio, ratio, ratio)
    freedom = variance**2 / sum(
        error**2 / (len(values) - 1) for error, values in zip(errors, (numerator, denominator), strict=True)
    )
    reach = t_quantile(0.5 + confidence / 2, degrees=max(1, math.floor(freedom))) * math.sqrt(variance)
    return Interval(ratio, ratio * math.exp(-reach), ratio * math.exp(reach))
