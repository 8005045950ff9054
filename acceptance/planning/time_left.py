"""The remaining time of a run: the plan's times, corrected by the duration of its steps so far."""

from __future__ import annotations

import math
from collections.abc import Mapping

from acceptance.planning.rough_time import rough_time

TRUST_S = 60.0
"""The seconds of experience that the plan counts as: a short first step alone proves nothing."""
SLOWEST, FASTEST = 10.0, 0.1
"""The bounds within which experience may correct the plan."""
UNCLEAR, UNCLEAR_TRUST_S = 0.05, 600.0
"""The expected share of the additional time that unclear measurements may take, and the seconds of experience that it
counts as. Source: complete runs on two hosts took 4 % and 8 % of that time."""


class TimeLeft:
    """The remaining time of a run. `about_s`: planned seconds of each test, in order; `end_s`: those after the last.

    `longer_s`: the additional time of tests whose measurements have to continue until they are clear. Times are those
    of one monotonic clock, in s.
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
        """Record that the test begins."""
        self._current, self._began_s = test, now_s

    def finish(self, test: str, *, now_s: float, counts: bool = True) -> None:
        """Record that the test is over; `counts`: it did what was planned, and was neither skipped nor interrupted."""
        planned_s = self._about_s.pop(test, 0.0)
        if counts and planned_s:
            took_s = max(now_s - self._began_s, 0.0)
            may_s = self._longer_s.get(test, 0.0)
            self._unclear_s += min(max(took_s - planned_s, 0.0), may_s)
            self._unclear_at_most_s += may_s
            # A measurement that had to continue does not show that steps are slow.
            self._planned_s += min(max(took_s, planned_s), planned_s + self._longer_s.get(test, 0.0))
            self._took_s += took_s
        self._current = None

    @property
    def ratio(self) -> float:
        """The ratio of the actual time to the planned time."""
        return min(max((TRUST_S + self._took_s) / (TRUST_S + self._planned_s), FASTEST), SLOWEST)

    def seconds(self, *, now_s: float) -> float:
        """Return the remaining seconds, at least zero.

        A measurement that is unclear at its planned end is taken to continue for its maximum duration. A measurement
        that exceeds that, and any other test that exceeds its planned time, is taken to be about to end.
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

    def most_seconds(self, *, now_s: float) -> float:
        """Return the remaining seconds if each measurement continues for its maximum duration."""
        ahead = [test for test in self._about_s if test != self._current]
        ahead_s = sum(self.ratio * self._about_s[test] + self._longer_s.get(test, 0.0) for test in ahead)
        current_s = self.ratio * self._about_s.get(self._current or "", 0.0)
        left_s = current_s + self._longer_s.get(self._current or "", 0.0) - max(now_s - self._began_s, 0.0)
        return ahead_s + self.ratio * self._end_s + max(left_s, 0.0)

    def in_words(self, *, now_s: float) -> str:
        """Return `about 2 min left, at most 7 min`; one time if both are alike, `at most` if a load may continue."""
        about_s, most_s = self.seconds(now_s=now_s), self.most_seconds(now_s=now_s)
        most = rough_time(60.0 * math.ceil(most_s / 60.0)).removeprefix("about ")
        if most_s - about_s >= 60.0:
            return f"{rough_time(about_s)} left, at most {most}"
        return f"at most {most} left" if self._continues(now_s) and most_s >= 60.0 else f"{rough_time(about_s)} left"

    def _continues(self, now_s: float) -> bool:
        """Return whether the measurement was unclear at its planned end, and may continue."""
        current = self._current or ""
        planned_s = self.ratio * self._about_s.get(current, 0.0)
        return current in self._longer_s and now_s - self._began_s > planned_s
