"""Whether a series has slowed down once and for good: a test for one change of its level, wherever it came."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from acceptance.statistics.intervals import SECONDS_CORRELATION, allowance
from acceptance.statistics.student_t import t_quantile

FEWEST = 3
"""values on either side of a change"""
CONFIDENCE = 0.995
"""that a series without a change is taken for none, on either side; smaller with each look at it"""
LEAST_DROP = 0.1
"""as a share of what it did before: what is less is not worth another way of judging"""


def slowed_down_after(values: Sequence[float], *, correlation: float = SECONDS_CORRELATION) -> int | None:
    """After how many of the values (rates of neighbouring seconds) they were lower to the end; None of no such change.

    The largest two-sample t of all places, on logarithms, held against Student's quantile at the confidence shared by
    all places (Bonferroni's inequality; Worsley, On the likelihood ratio test for a shift in location of normal
    populations, JASA 74, 1979). What neighbours share is allowed for as in `acceptance.statistics.intervals`. A series
    with zeros stood still: of that there are other rules, and here nothing is found. Raises ValueError as those do for
    negative values.
    """
    if not all(math.isfinite(value) and value >= 0.0 for value in values):
        raise ValueError(f"wanted finite values of at least zero, found {list(values)}")
    count = len(values)
    places = range(FEWEST, count - FEWEST + 1)
    if not places or 0.0 in values:
        return None
    logarithms = [math.log(value) for value in values]
    sums, squares = list(accumulate(logarithms)), math.fsum(logarithm * logarithm for logarithm in logarithms)

    def drop_and_t(place: int) -> tuple[float, float]:
        before, after = sums[place - 1] / place, (sums[-1] - sums[place - 1]) / (count - place)
        within = max(0.0, squares - place * before**2 - (count - place) * after**2)
        error = math.sqrt(within / (count - 2) * (1 / place + 1 / (count - place))) * allowance(correlation)
        drop = before - after
        return drop, drop / error if error > 0.0 else math.inf if drop > 0.0 else 0.0

    place = max(places, key=lambda each: drop_and_t(each)[1])
    drop, t = drop_and_t(place)
    beyond = t_quantile(1 - (1 - CONFIDENCE) / len(places), degrees=count - 2)
    return place if t > beyond and drop > -math.log(1 - LEAST_DROP) else None
