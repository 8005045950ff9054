"""A run beside those before it: by how much it differs, what of that can be noise, and since when the level changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.judging.history.noise import Expectation, expectation
from acceptance.limits.history import HistoryLimit
from acceptance.results.history import ChangePoint, TrendPoint
from acceptance.statistics.level_shift import find_shift


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """This run as a multiple of the earlier ones (`ratio`), with the interval that noise leaves.

    `error`: the chance that the interval leaves out the truth, both sides together.
    """

    limit: HistoryLimit
    expected: Expectation
    ratio: float
    low: float
    high: float
    error: float
    change_point: ChangePoint | None

    @property
    def regressed(self) -> bool:
        """Whether this run is worse by more than the margin, and noise cannot be the reason."""
        whole = self.high < 1.0 if self.limit.metric.higher_is_better else self.low > 1.0
        return whole and is_worse(self.ratio, self.limit)

    @property
    def fell(self) -> bool:
        """Whether there is a change of level for the worse, by more than the margin."""
        return self.change_point is not None and is_worse(1.0 + self.change_point.change, self.limit)

    @property
    def smallest_regression(self) -> float:
        """The smallest multiple for the worse at which this run by itself would have been told to be a regression."""
        reach = self.expected.reach
        if self.limit.metric.higher_is_better:
            return min(self.limit.bound, math.exp(-reach))
        return max(self.limit.bound, math.exp(reach))


def compare(points: Sequence[TrendPoint], this: TrendPoint, limit: HistoryLimit, *, error: float) -> Comparison:
    """This run beside `points`, earlier runs, oldest first; all values above zero. Raises ValueError for too few."""
    expected = expectation(points, this, runs=limit.runs, error=error)
    change = math.log(this.mean) - expected.middle
    return Comparison(
        limit=limit,
        expected=expected,
        ratio=math.exp(change),
        low=math.exp(change - expected.reach),
        high=math.exp(change + expected.reach),
        error=error,
        change_point=_change_point([*points, this], error=error),
    )


def is_worse(ratio: float, limit: HistoryLimit) -> bool:
    """Whether a multiple of the earlier value is worse than the limit allows."""
    return ratio < limit.bound if limit.metric.higher_is_better else ratio > limit.bound


def _change_point(points: Sequence[TrendPoint], *, error: float) -> ChangePoint | None:
    shift = find_shift([math.log(point.mean) for point in points], error=error)
    if shift is None:
        return None
    first = points[shift.index]
    return ChangePoint(
        run=first.run,
        date=first.date,
        change=math.expm1(shift.change),
        before=shift.index,
        after=len(points) - shift.index,
    )
