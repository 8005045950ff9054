"""The test whether a series has slowed down permanently: for one change of its level, at any place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from acceptance.statistics.intervals import SECONDS_CORRELATION, allowance
from acceptance.statistics.student_t import t_quantile

FEWEST = 3
"""The fewest values on either side of a change."""
CONFIDENCE = 0.995
"""The confidence that a series without a change shows none, one-sided; it decreases with each interim analysis."""
LEAST_DROP = 0.1
"""The smallest drop, as a share of the rate before; a smaller one does not justify another way of judging."""


def slowed_down_after(values: Sequence[float], *, correlation: float = SECONDS_CORRELATION) -> int | None:
    """Return the number of values (rates of neighbouring seconds) before a lasting drop; None if there is none.

    The largest two-sample t of all places, on logarithms, is compared with Student's quantile at the confidence that
    all places share (Bonferroni's inequality; Worsley, On the likelihood ratio test for a shift in location of normal
    populations, JASA 74, 1979). The correlation of neighbours is allowed for as in `acceptance.statistics.intervals`. A
    series with zeros has stalled: other rules apply to stalls, and the result is None. Raises ValueError for negative
    values, as intervals do.
    """
    if not all(math.isfinite(value) and value >= 0.0 for value in values):
        raise ValueError(f"expected finite values of at least zero, found {list(values)}")
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

    place = max(places, key=lambda candidate: drop_and_t(candidate)[1])
    drop, t = drop_and_t(place)
    beyond = t_quantile(1 - (1 - CONFIDENCE) / len(places), degrees=count - 2)
    return place if t > beyond and drop > -math.log(1 - LEAST_DROP) else None


def rose_after(values: Sequence[float]) -> int | None:
    """Return the number of values before a lasting rise; None if there is none. The test is `slowed_down_after`'s."""
    place = slowed_down_after(values[::-1])
    return None if place is None else len(values) - place
