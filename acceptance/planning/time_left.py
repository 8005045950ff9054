"""How much longer a run takes: the plan's times, corrected by what its steps took so far."""

from __future__ import annotations

from collections.abc import Mapping

TRUST_S = 60.0
"""The plan's own word counts as much as so many seconds of experience: a first short step alone proves nothing."""
SLOWEST, FASTEST = 10.0, 0.1
"""How far experience may correct the plan."""
UNCLEAR, UNCLEAR_TRUST_S = 0.05, 600.0
"""Which share of the time that unclear measurements may take more is expected to be taken, and as how many seconds of
experience that counts. Source: whole runs on two hosts took 4 % and 8 % of it."""


class TimeLeft:
    """`about_s`: the planned seconds of each test that has any, in order; `end_s`: for what comes after the last test.

    `longer_s`: how much longer tests take whose measurements have to go on until they are clear. Times are those of
    one clock that never goes back, in s.
    """

    def __init__(
        self, about_s: Mapping[str, float], *, longer_s: Mapping[str, float] | None = None, end_s: float = 0.0
    ) -> None:
        self._about_s = dict(about_s)
        self._longer_s = dict(longer_s or {})
        self._end_s = end_s
        self._took_s = self._planned_s = 0.0
        self._unclear_s, self._unclear_at_most_s = UNCLEAR * UNCLEAR_TRUST_S, UNCLEAR_TRUST_S
        self._current: str | None = None
        self._began_s = 0.0

    def begin(self, test: str, *, now_s: float) -> None:
        """The test begins."""
        self._current, self._began_s = test, now_s

    def finish(self, test: str, *, now_s: float, counts: bool = True) -> None:
        """The test is over; `counts`: whether it did what was planned, and was not skipped or broken off."""
        planned_s = self._about_s.pop(test, 0.0)
        if counts and planned_s:
            took_s = max(now_s - self._began_s, 0.0)
            may_s = self._longer_s.get(test, 0.0)
            self._unclear_s += min(max(took_s - planned_s, 0.0), may_s)
            self._unclear_at_most_s += may_s
            # That a measurement had to go on says nothing of how fast things go.
            self._planned_s += min(max(took_s, planned_s), planned_s + self._longer_s.get(test, 0.0))
            self._took_s += took_s
        self._current = None

    @property
    def ratio(self) -> float:
        """How much longer than planned things take."""
        return min(max((TRUST_S + self._took_s) / (TRUST_S + self._planned_s), FASTEST), SLOWEST)

    def seconds(self, *, now_s: float) -> float:
        """What is left, never below zero.

        A measurement that is not clear when it was planned to be goes on for as long as it may; what takes longer than
        that, and other tests that take longer than planned, are about to end.
        """
        ahead_s = sum(seconds for test, seconds in self._about_s.items() if test != self._current) + self._end_s
        current_s = self._about_s.get(self._current or "", 0.0)
        elapsed_s = max(now_s - self._began_s, 0.0)
        left_s = self.ratio * current_s - elapsed_s
        if left_s < 0.0:
            left_s += self._longer_s.get(self._current or "", 0.0)
        unclear_s = sum(self._longer_s.get(test, 0.0) for test in self._about_s if test != self._current)
        share = self._unclear_s / self._unclear_at_most_s
        return self.ratio * ahead_s + share * unclear_s + max(left_s, 0.0)
