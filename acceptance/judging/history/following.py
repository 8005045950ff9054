"""Night after night beside an accepted level: when a fall is told, and when it is over. Pure.

All values are logarithms that are larger where the storage is better; "below" is worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.judging.history.noise import WEEK, Reach, noise_reach
from acceptance.statistics.robust import huber_level


@dataclass(frozen=True, kw_only=True)
class Night:
    """One run: how far it lies above the accepted `level`, and what of that may be noise.

    `alone`: it is below by more than the margin and beyond noise, and the run before was not. `fall`, `rise`: the place
    of the first run of what was told and is not over.
    """

    level: float
    above: float
    reach: Reach
    alone: bool
    fall: int | None
    rise: int | None


@dataclass
class _Side:
    """What is told on one side of the level: `above` is how far nights lie above it, on the better side below."""

    bound: float
    since: int | None = None
    was_beyond: bool = False
    depth: float = 0.0

    def step(self, above: Sequence[float], last: int, reach: Reach, *, week: Sequence[float]) -> None:
        """One more night, the `last`; `week`: it and those before, where there are so many."""
        two = above[last - 1 : last + 1]
        beyond = above[last] < min(self.bound, -reach.night)
        worse = all(each < self.bound for each in two)
        shifted = bool(week) and worse and huber_level(week) < min(self.bound, -reach.week)
        if (beyond and self.was_beyond) or shifted:
            if self.since is None:
                self.depth = sum(two) / 2
                self.since = self._first(above, last)
        elif all(each > self.depth / 2 for each in two):
            self.since = None
        self.was_beyond = beyond

    def _first(self, above: Sequence[float], last: int) -> int:
        """The first of the nights that have been nearer to the fall than to the level ever since."""
        place = last - 1
        while place > 0 and above[place - 1] < self.depth / 2:
            place -= 1
        return place


def follow(
    logs: Sequence[float], *, runs: int, surplus: Sequence[float], bound: float, error: float
) -> Iterator[Night]:
    """What is to be said of each night after the first `runs`, which make the level; `logs` oldest first.

    A night is told of when it and the one before are below by more than the margin (`bound`, below zero), and each is
    beyond what noise does to two in a row; or when the level of the last week is, both of them being below by more
    than the margin. What was told stays told until two nights in a row are nearer to the accepted level than to what
    the two were that it was told of. `error`: the chance of a night to be told by noise, either way, on this side.

    Raises ValueError unless there are more nights than `runs`.
    """
    if len(logs) <= runs:
        raise ValueError(f"wanted more than {runs} nights, found {len(logs)}")
    level = huber_level(logs[:runs])
    above = [value - level for value in logs]
    below = [-value for value in above]
    worse, better = _Side(bound=bound), _Side(bound=bound)
    for last in range(runs, len(logs)):
        known = max(runs, last - WEEK)
        reach = noise_reach(logs[:known], level_runs=runs, surplus=surplus[last], error=error / 2)
        week_from = last + 1 - WEEK
        before = worse.was_beyond
        for side, nights in ((worse, above), (better, below)):
            side.step(nights, last, reach, week=nights[week_from : last + 1] if week_from >= runs else ())
        yield Night(
            level=level,
            above=above[last],
            reach=reach,
            alone=worse.was_beyond and not before,
            fall=worse.since,
            rise=better.since,
        )
