"""From which run on the values are of another level: a fall that came in small steps, or stayed for some nights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

from acceptance.statistics.student_t import t_quantile

OLD_RUNS, NEW_RUNS = 3, 2
"""the fewest runs of an old level and of a new one; a single run that is off is compared with those before it"""
LEAST_CHANGE = 0.01
"""of the level, in logarithms: what is smaller concerns nobody, however certain it is on a disk without any noise"""
NIGHT_CORRELATION = 0.1
"""The correlation between neighbouring nights that is allowed for: fixed, as that between batches is, for from some
nights it cannot be estimated. docs/history.md says what nights that are more alike than this cost."""


@dataclass(frozen=True, kw_only=True)
class LevelShift:
    """`index`: of the first value of the new level. `change`: of the level, in logarithms."""

    index: int
    change: float


def find_shift(logs: Sequence[float], *, error: float) -> LevelShift | None:
    """The most likely change of level in `logs`, oldest first, or None where noise alone may have made it.

    The likelihood-ratio test for one shift of the mean of a normal sequence: the largest two-sample t over all places
    where it may be, each with pooled variance (Worsley, On the likelihood ratio test for a shift in location of normal
    populations, JASA 1979;74:365). The bound is Bonferroni's over these places, exact enough for so few. `error`: the
    chance to find one where there is none, up and down together.

    A shift that the last value has not kept is none: that value is nearer to the old level.
    """
    size = len(logs)
    places = range(OLD_RUNS, size - NEW_RUNS + 1)
    if not places:
        return None
    mean = fmean(logs)
    sums = list(accumulate(value - mean for value in logs))
    total = math.fsum((value - mean) ** 2 for value in logs)
    # With the values about their mean, what is between two parts of them follows from the sum of the first part alone.
    between = {place: sums[place - 1] ** 2 * size / (place * (size - place)) for place in places}
    place = max(places, key=between.__getitem__)
    within = max(0.0, total - between[place]) / (size - 2)
    allowance = math.sqrt((1 + NIGHT_CORRELATION) / (1 - NIGHT_CORRELATION))
    least = allowance * t_quantile(1.0 - error / 2 / len(places), degrees=size - 2)
    if between[place] <= least**2 * within:
        return None
    old, new = fmean(logs[:place]), fmean(logs[place:])
    kept = abs(logs[-1] - new) < abs(logs[-1] - old)
    return LevelShift(index=place, change=new - old) if kept and abs(new - old) >= LEAST_CHANGE else None
