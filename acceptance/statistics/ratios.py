"""Ratios: candidate / baseline, measured in rounds so that both had the same conditions, and the ratio of two means
that were measured one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from acceptance.statistics.intervals import (
    BATCH_CORRELATION,
    MINIMUM_BATCHES,
    MOST_REACH,
    Interval,
    Part,
    deviations,
    effective_batches,
    error_of_sum,
    standard_error,
)
from acceptance.statistics.student_t import t_quantile


class Round(NamedTuple):
    """The batches of one segment of each class, measured directly after one another.

    The class that comes first must alternate from round to round (baseline, candidate, candidate, baseline, ...):
    then the drift of a device affects both classes equally. docs/statistics.md says what it costs not to
    alternate.
    """

    baseline: Sequence[Part]
    candidate: Sequence[Part]


def of_equal_weight(baseline: Sequence[float], candidate: Sequence[float]) -> Round:
    """Return a round of batches of equal length."""
    return Round([Part(value, 1.0) for value in baseline], [Part(value, 1.0) for value in candidate])


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """Candidate / baseline with its two-sided interval.

    All three values are None if there is no ratio; `problem` then says why, in half a sentence.
    """

    value: float | None
    low: float | None
    high: float | None
    samples: int
    """The pairs of batches that the ratio is based on."""
    confidence: float
    problem: str = ""


def ratio(rounds: Sequence[Round], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Ratio:
    """Return the candidate's total / the baseline's total, each divided by its weights, from paired batches.

    It is a ratio of totals, so seconds with many operations and seconds without any both count. The n-th batch of the
    candidate is paired with the n-th of the baseline in the same round, so that disturbances of both cancel out of the
    error. The error is that of a ratio of two ratios (linearized; Cochran, Sampling Techniques, 6.4 and 6.19), with an
    allowance for pairs whose neighbours are correlated by `correlation`. The interval is Student's, on its logarithm.

    If a class did no operation at all, the result has no value, but a `problem`. Raises ValueError for negative or
    non-finite values, for weights that are not above zero and for rounds with unequal numbers of batches.
    """
    pairs = [pair for turn in rounds for pair in zip(_validate(turn.baseline), _validate(turn.candidate), strict=True)]
    baseline, candidate = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    problem = _problem(baseline, candidate)
    if problem:
        return Ratio(value=None, low=None, high=None, samples=len(pairs), confidence=confidence, problem=problem)
    off = zip(_relative_deviations(candidate), _relative_deviations(baseline), strict=True)
    error = error_of_sum([numerator - denominator for numerator, denominator in off], correlation=correlation)
    degrees = max(
        1, round(min(effective_batches([part.weight for part in side]) for side in (candidate, baseline))) - 1
    )
    reach = t_quantile(0.5 + confidence / 2, degrees=degrees) * error
    value = _total(candidate) / _total(baseline)
    high = value * math.exp(reach) if reach < MOST_REACH else math.inf
    return Ratio(value=value, low=value * math.exp(-reach), high=high, samples=len(pairs), confidence=confidence)


def _total(parts: Sequence[Part]) -> float:
    return math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts)


def _relative_deviations(parts: Sequence[Part]) -> list[float]:
    total = _total(parts)
    return [deviation / total for deviation in deviations(parts)]


def _validate(parts: Sequence[Part]) -> Sequence[Part]:
    if not all(math.isfinite(part.amount) and part.amount >= 0.0 < part.weight < math.inf for part in parts):
        raise ValueError(f"expected finite values of at least zero, and weights above it, found {list(parts)}")
    return parts


def _problem(baseline: Sequence[Part], candidate: Sequence[Part]) -> str:
    """Return why there is no ratio; empty if there is one."""
    if len(baseline) < MINIMUM_BATCHES:
        return f"there are {len(baseline)} pairs of batches where at least {MINIMUM_BATCHES} are needed"
    sides = {"baseline": baseline, "candidate": candidate}
    still = [f"the {role} did nothing" for role, parts in sides.items() if not any(part.amount for part in parts)]
    return " and ".join(still) + " in all of its load" if still else ""


def independent_ratio(
    numerator: Sequence[float],
    denominator: Sequence[float],
    *,
    confidence: float,
    correlation: float = BATCH_CORRELATION,
) -> Interval | None:
    """Return mean(numerator) / mean(denominator) with its two-sided interval; None if one is zero or has few batches.

    The interval is on the logarithm, on which the errors of the two means add up (delta method, Casella & Berger,
    Statistical Inference, 5.5.4), with the degrees of freedom of Welch and Satterthwaite (Welch, Biometrika 34, 1947).
    The correlation of neighbouring batches is allowed for as in `acceptance.statistics.intervals`, by `correlation`.
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
