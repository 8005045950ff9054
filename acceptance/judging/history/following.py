"""Nights compared with an accepted level: when a fall is reported, and when it is over. Pure.

All values are logarithms that are larger where the storage is better; "below" is worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.judging.history.noise import WEEK, Reach, noise_reach
from acceptance.statistics.robust import huber_level


@dataclass(frozen=True, kw_only=True)
class Night:
    """One run: its distance above the accepted `level`, and the part of it that may be noise.

    `alone`: it is below by more than the margin and beyond noise, and the run before was not. `fall`, `rise`: the index
    of the first run of a change that was reported and continues.
    """

    level: float
    above: float
    reach: Reach
    alone: bool
    fall: int | None
    rise: int | None


@dataclass
class _Side:
    """The state of one side of the level: `above` is the nights' distance above it, below it on the better side."""

    bound: float
    since: int | None = None
    was_beyond: bool = False
    depth: float = 0.0

    def step(self, above: Sequence[float], last: int, reach: Reach, *, week: Sequence[float]) -> None:
        """Add one night, the `last`; `week`: the last seven nights, empty if there are fewer."""
        two = above[last - 1 : last + 1]
        beyond = above[last] < min(self.bound, -reach.night)
        worse = all(value < self.bound for value in two)
        is_shift = bool(week) and worse and huber_level(week) < min(self.bound, -reach.week)
        if (beyond and self.was_beyond) or is_shift:
            if self.since is None:
                self.depth = sum(two) / 2
                self.since = self._first(above, last)
        elif all(value > self.depth / 2 for value in two):
            self.since = None
        self.was_beyond = beyond

    def _first(self, above: Sequence[float], last: int) -> int:
        """Return the first of the nights since which all are nearer to the fall than to the level."""
        place = last - 1
        while place > 0 and above[place - 1] < self.depth / 2:
            place -= 1
        return place


def follow(
    logs: Sequence[float], *, runs: int, surplus: Sequence[float], bound: float, error: float
) -> Iterator[Night]:
    """Yield the state of each night after the first `runs`, which give the level; `logs`: oldest first.

    A night is reported if it and the night before are below the level by more than the margin (`bound`, below zero),
    and each of them is beyond the noise of two consecutive nights; or if the level of the last week is below by more
    than the margin and beyond its noise, and both nights are below by more than the margin. A report ends as soon as
    two consecutive nights are nearer to the accepted level than to the mean of the two nights that caused it. `error`:
    the chance that noise reports a night, in either way, on this side.

    Raise ValueError unless there are more nights than `runs`.
    """
    if len(logs) <= runs:
        raise ValueError(f"expected more than {runs} nights, found {len(logs)}")
    level = huber_level(logs[:runs])
    above = [value - level for value in logs]
    below = [-value for value in above]
    worse, better = _Side(bound=bound), _Side(bound=bound)
    for last in range(runs, len(logs)):
        noise_end = max(runs, last - WEEK)
        reach = noise_reach(logs[:noise_end], level_runs=runs, surplus=surplus[last], error=error / 2)
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
