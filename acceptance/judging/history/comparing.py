"""The comparison of a run with the accepted level: the difference, its part that can be noise, and its beginning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.judging.history.following import follow
from acceptance.judging.history.noise import surpluses
from acceptance.limits.limit import Limit
from acceptance.results.history import ChangePoint, TrendPoint
from acceptance.statistics.robust import huber_level


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """This run as a multiple of the accepted level (`ratio`), and the range of multiples that noise explains.

    `level`: in the metric's unit, that of the first `runs` runs; `first`: the first run of all. `fall`, `rise`:
    a change for the worse and for the better that was reported and continues.
    """

    limit: Limit
    first: TrendPoint
    level: float
    ratio: float
    reach: float
    week_reach: float
    alone: bool
    fall: ChangePoint | None
    rise: ChangePoint | None

    @property
    def expected(self) -> tuple[float, float]:
        """Return the range of multiples beyond which noise alone does not take two consecutive runs."""
        return math.exp(-self.reach), math.exp(self.reach)

    def smallest_fall(self, *, week: bool) -> float:
        """Return the smallest change for the worse, as a multiple, that two runs (or a week's level) would report."""
        reach = self.week_reach if week else self.reach
        if self.limit.metric.higher_is_better:
            return min(self.limit.bound, math.exp(-reach))
        return max(self.limit.bound, math.exp(reach))


def compare(points: Sequence[TrendPoint], this_run: TrendPoint, limit: Limit, *, error: float) -> Comparison:
    """Compare this run with `points`: the accepted level's runs and all since, oldest first; all values above zero.

    `error`: the chance that noise alone reports a night. Raise ValueError for fewer points than the level has.
    """
    every = [*points, this_run]
    better = 1.0 if limit.metric.higher_is_better else -1.0
    *_, night = follow(
        [better * math.log(point.mean) for point in every],
        runs=int(limit.at["runs"]),
        surplus=surpluses(every),
        bound=better * math.log(limit.bound),
        error=error,
    )
    level = math.exp(better * night.level)
    return Comparison(
        limit=limit,
        first=every[0],
        level=level,
        ratio=math.exp(better * night.above),
        reach=night.reach.night,
        week_reach=night.reach.week,
        alone=night.alone and night.fall is None,
        fall=_change_point(every, night.fall, level=level),
        rise=_change_point(every, night.rise, level=level),
    )


def _change_point(every: Sequence[TrendPoint], since: int | None, *, level: float) -> ChangePoint | None:
    if since is None:
        return None
    new = huber_level([math.log(point.mean / level) for point in every[since:]])
    return ChangePoint(
        run=every[since].run,
        date=every[since].date,
        change=math.expm1(new),
        before=since,
        after=len(every) - since,
    )
