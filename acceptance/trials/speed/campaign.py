"""All loads of a run, visit by visit: each profile on each class, until every verdict is certain or time is up.

First each profile is visited once, then classes are loaded in turn for comparisons, and then what is undecided is
visited again, among others. So the visits of a profile are minutes apart, and slow phases of minutes show as
differences between visits, instead of as a verdict that depends on the minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random
from typing import NamedTuple, Protocol

from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import Recording
from acceptance.measuring.visits import Shown, Spread, spread_of
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.speed.turns import Turns

COMPANIONS = 8
"""The fewest visits of a class in a round after the first, if it has as many profiles: how much the visits of
one undecided profile differ, one or two others cannot show."""
ENOUGH_DEGREES = 16.0
"""The degrees of freedom of the variance between visits from which on half as many visits suffice."""


class Pair(NamedTuple):
    """A profile and the StorageClass that it loads."""

    profile: Profile
    storage_class: str


class Loads(Protocol):
    """The loads of pairs, and what they show so far. `visit` and `compare` raise what the bench raises."""

    def visit(self, pair: Pair, before: Recording | None, *, spread: Spread | None, is_companion: bool) -> Recording:
        """Load the pair once more after the visits of `before`; a companion for seconds, whatever it decides."""

    def compare(self, pair: Pair, alone: Recording) -> Turns | None:
        """Load the pair's class and the baseline in turn; None without a baseline."""

    def is_open(self, pair: Pair, recording: Recording, *, spread: Spread | None) -> bool:
        """Return whether a verdict is undecided that further visits may decide."""

    def may_accompany(self, pair: Pair, recording: Recording) -> bool:
        """Return whether a decided pair may be visited again, to show how much visits differ."""

    def shown(self, pair: Pair, recording: Recording) -> Shown:
        """Return what the visits of a pair showed."""


class Campaign:
    """The visits and comparisons of pairs: their recordings, or the error of each.

    `visited` is called after the first visit of each pair, `passed` when all pairs have had their loads of a
    round.
    """

    def __init__(self, loads: Loads, *, visited: Callable[[Pair], None], passed: Callable[[], None]) -> None:
        self._loads = loads
        self._visited = visited
        self._passed = passed
        self._recordings: dict[Pair, Recording] = {}
        self._shown: dict[Pair, Shown] = {}
        self._turns: dict[Pair, Turns | None] = {}
        self._errors: dict[Pair, AcceptanceError] = {}
        self._ended: set[Pair] = set()
        self._latest: dict[Pair, int] = {}
        self._numbers = count()
        self._random = Random(0)  # the same order in each run of the same tests

    def run(self, pairs: Sequence[Pair]) -> None:
        """Visit and compare the pairs that were not yet, and visit again what is open, until nothing is.

        After an interruption, a further call goes on where the first was. Errors are kept for `recording`.
        """
        for pair in pairs:
            if pair not in self._recordings and pair not in self._errors:
                with self._keeping_error(pair):
                    self._visit(pair, is_companion=False)
                self._visited(pair)
        self._passed()
        for pair in self.measured:
            if pair in pairs and pair not in self._turns:
                with self._keeping_error(pair):
                    self._turns[pair] = self._loads.compare(pair, self._recordings[pair])
        self._passed()
        while open_pairs := [pair for pair in self.measured if pair in pairs and self._is_open(pair)]:
            for pair in self._round([*open_pairs, *self._companions(open_pairs, pairs)]):
                with self._keeping_error(pair):
                    self._visit(pair, is_companion=pair not in open_pairs)
            self._passed()

    def recording(self, pair: Pair) -> Recording:
        """Return the recording of a pair that was visited. Raises the error of its loads."""
        if pair in self._errors:
            raise self._errors[pair]
        return self._recordings[pair]

    def turns(self, pair: Pair) -> Turns | None:
        """Return the loads in turn of a pair that was compared."""
        return self._turns.get(pair)

    @property
    def measured(self) -> list[Pair]:
        """The pairs that have been visited, and had no error."""
        return [pair for pair in self._recordings if pair not in self._errors]

    def spread(self, storage_class: str) -> Spread | None:
        """Return the variance between the visits of the class so far; None if it is not known."""
        return spread_of([shown for pair, shown in self._shown.items() if pair.storage_class == storage_class])

    @contextmanager
    def _keeping_error(self, pair: Pair) -> Iterator[None]:
        """Keep the error that the loads of the pair have; the other pairs go on."""
        try:
            yield
        except AcceptanceError as error:
            self._errors[pair] = error

    def _visit(self, pair: Pair, *, is_companion: bool) -> None:
        """Visit the pair. If the environment fails in a later visit, the earlier ones count, and no other follows."""
        before, spread = self._recordings.get(pair), self.spread(pair.storage_class)
        try:
            recording = self._loads.visit(pair, before, spread=spread, is_companion=is_companion)
        except EnvironmentFailure:
            if before is None:
                raise
            self._ended.add(pair)
            return
        self._recordings[pair] = recording
        self._shown[pair] = self._loads.shown(pair, recording)
        self._latest[pair] = next(self._numbers)

    def _is_open(self, pair: Pair) -> bool:
        if pair in self._ended:
            return False
        return self._loads.is_open(pair, self._recordings[pair], spread=self.spread(pair.storage_class))

    def _companions(self, open_pairs: Sequence[Pair], pairs: Sequence[Pair]) -> list[Pair]:
        """Return decided ones of `pairs`, of the same classes; those with the fewest visits first."""
        companions: list[Pair] = []
        for name in dict.fromkeys(pair.storage_class for pair in open_pairs):
            spread = self.spread(name)
            is_known = spread is not None and spread.rates.degrees >= ENOUGH_DEGREES
            missing = COMPANIONS // (2 if is_known else 1) - sum(pair.storage_class == name for pair in open_pairs)
            others = [
                pair
                for pair in self.measured
                if pair in pairs and pair.storage_class == name and pair not in open_pairs and self._may_accompany(pair)
            ]
            others.sort(key=lambda pair: (len(self._recordings[pair].segments), self._latest[pair]))
            companions += others[: max(0, missing)]
        return companions

    def _may_accompany(self, pair: Pair) -> bool:
        return pair not in self._ended and self._loads.may_accompany(pair, self._recordings[pair])

    def _round(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs in the order of their visits: first, at random, the half that was visited longest ago.

        So the visits of a pair are about a round apart, but never in step with a rhythm of the storage.
        """
        by_age = sorted(pairs, key=self._latest.__getitem__)
        halves = by_age[: len(by_age) // 2], by_age[len(by_age) // 2 :]
        return [pair for half in halves for pair in self._random.sample(half, len(half))]
