"""How many times as much: the candidate of the baseline, measured in rounds so that both saw the same conditions; and
one mean of another, measured one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from acceptance.statistics.intervals import BATCH_CORRELATION, MINIMUM_BATCHES, Interval, standard_error
from acceptance.statistics.student_t import t_quantile


class Round(NamedTuple):
    """The batch values of one segment of each class, measured directly after one another.

    The class that comes first must alternate from round to round (baseline, candidate, candidate, baseline, ...):
    then what a device gains or loses with time falls on both classes alike. docs/statistics.md says what it costs
    not to.
    """

    baseline: Sequence[float]
    candidate: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """Candidate / baseline with its two-sided interval.

    All three values are None when there is no ratio to speak of; `problem` then says why, in half a sentence.
    """

    value: float | None
    low: float | None
    high: float | None
    samples: int
    """pairs of batches that the ratio rests on"""
    confidence: float
    problem: str = ""


def ratio(rounds: Sequence[Round], *, confidence: float, correlation: float = BATCH_CORRELATION) -> Ratio:
    """The ratio candidate / baseline from paired batches: exp of the mean of log(candidate) - log(baseline).

    The n-th batch of the candidate is paired with the n-th of the baseline in the same round; the interval is
    Student's on the pairs' logarithms (Bland & Altman, The use of transformation when comparing two means,
    BMJ 1996;312:1153), with an allowance for pairs whose neighbours are correlated by `correlation`.

    A batch that stalled (zero) has no logarithm: the result then has no value and a `problem`. Raises
    ValueError for negative or non-finite values and for segments of one round with unequal numbers of batches.
    """
    logarithms: list[float] = []
    stalled = {"baseline": 0, "candidate": 0}
    for one in rounds:
        for baseline, candidate in zip(_checked(one.baseline), _checked(one.candidate), strict=True):
            stalled["baseline"] += baseline == 0.0
            stalled["candidate"] += candidate == 0.0
            if baseline > 0.0 and candidate > 0.0:
                logarithms.append(math.log(candidate) - math.log(baseline))
    pairs = len(logarithms)
    problem = _problem(stalled, pairs=pairs)
    if problem:
        return Ratio(value=None, low=None, high=None, samples=pairs, confidence=confidence, problem=problem)
    middle = fmean(logarithms)
    error = standard_error(logarithms, correlation=correlation)
    reach = t_quantile(0.5 + confidence / 2, degrees=pairs - 1) * error
    value, low, high = (math.exp(exponent) for exponent in (middle, middle - reach, middle + reach))
    return Ratio(value=value, low=low, high=high, samples=pairs, confidence=confidence)


def _checked(values: Sequence[float]) -> Sequence[float]:
    if not all(math.isfinite(value) and value >= 0.0 for value in values):
        raise ValueError(f"wanted finite values of at least zero, found {list(values)}")
    return values


def _problem(stalled: dict[str, int], *, pairs: int) -> str:
    """Why there is no ratio, or nothing."""
    still = [f"the {role} stalled for {count} whole batches" for role, count in stalled.items() if count]
    if still:
        return " and ".join(still)
    if pairs < MINIMUM_BATCHES:
        return f"there are {pairs} pairs of batches where at least {MINIMUM_BATCHES} are needed"
    return ""


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
