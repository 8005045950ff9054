"""When a measurement may be judged, and how sure each look must be: fixed before the first sample is taken.

Looking often must not buy false passes, so the chance of a wrong verdict is a budget that all looks share.
How the figures were chosen, and what they promise: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from acceptance.statistics.intervals import BATCH_CORRELATION, SECONDS_CORRELATION, correlation_of_sums
from acceptance.statistics.overlapping_looks import even_chance

REACHED = 0.8
"""of a look's seconds: with so many it is that look, for some seconds are lost, to slow documents and short turns"""
MINUTE_S = 60
"""seconds of load on each class that a measurement has in any case; only what is still open goes on"""
LONGEST_S = 300
"""how long that goes on unless it is said otherwise"""
STEP_S = 10
"""of the looks after the minute"""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a verdict needs after so many seconds of load on the class that is judged."""

    seconds: int
    batch_s: int
    batch_correlation: float
    """the correlation between neighbouring batches that every interval allows for at least: fixed, as all of a plan"""
    confidence: float
    """of the two-sided interval"""
    beyond: float = 1.0
    """by what factor the whole interval must lie beyond the limit, on either side"""
    early: bool = False
    """whether it is so soon that only what is far off is decided"""


@dataclass(frozen=True, kw_only=True)
class EarlyLook:
    """A look before the others, at a few single seconds, for what is far off: what no burst or lull turns round.

    It is the factor that makes it sure, more than the interval: storage at its limit does not look three times as fast
    or as slow for seconds on end, whatever its noise; and a burst of less than three times passes no sooner.
    """

    seconds: int = 4
    batch_s: int = 1
    batch_correlation: float = SECONDS_CORRELATION
    confidence: float = 0.98
    beyond: float = 3.0
    share: float = 0.1
    """of the plan's error budget; a simulation shows that it is not used up (docs/statistics.md)"""

    def __post_init__(self) -> None:
        if self.beyond <= 1.0 or not 0.0 < self.share < 1.0 or self.seconds % self.batch_s:
            raise ValueError(f"wanted a factor above 1, a share of the budget and whole batches, found {self}")


class Batches(NamedTuple):
    """From so many seconds of load on, batches of this length, of which neighbours are correlated by so much.

    A turn that is shorter is one batch.
    """

    since_s: int
    length_s: int
    correlation: float = BATCH_CORRELATION


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """The looks, in seconds of load on the storage judged, and the error budget that they share.

    `segments`: for classes loaded in turn, the seconds of load on each class in each round. All looks are then at the
    end of rounds.
    Raises ValueError for looks that do not rise, or do not end with a batch or a round.
    """

    seconds: tuple[int, ...]
    batch_s: int = 4
    segments: tuple[int, ...] = ()
    early: EarlyLook | None = None
    wrong_pass: float = 0.01
    """The chance, over all looks, that storage exactly at its limit passes; the same holds for a wrong fail."""
    soon: float = 0.2
    """What share of it the looks before the minute, or before the only later one, have together."""
    batch_correlation: float = BATCH_CORRELATION
    longer: tuple[Batches, ...] = ()
    """Batches of later looks, from which on."""
    beyond: tuple[float, ...] = ()
    """For each of `seconds`, by what factor the whole interval must lie beyond the limit; where none is given, by none.

    What swings slowly, or stands still now and then, may have done so in none of the seconds that a look has seen."""
    floor_s: int = 0
    """Looks before it are left out; those that stay keep their own share of the budget."""

    def __post_init__(self) -> None:
        apart = all(before < REACHED * after for before, after in zip((0, *self.looks), self.looks, strict=False))
        if not self.seconds or not apart:
            raise ValueError(f"wanted at least one look, and rising seconds that lie apart, found {self.looks}")
        if not set(self.looks) <= set(self._ends or self.looks):
            raise ValueError(f"wanted looks at the end of rounds of {self.segments} s, found {self.looks}")
        plain = [
            duration
            for duration in self.seconds
            if duration < min((each.since_s for each in self.longer), default=math.inf)
        ]
        stretches = [each for each, end in zip(self.segments, self._ends, strict=True) if end <= max(plain)] or plain
        if any(length % self.batch_s for length in stretches):
            raise ValueError(f"wanted whole batches of {self.batch_s} s, found {stretches}")
        if not 0.0 < self.wrong_pass < 0.5 or not 0.0 < self.soon < 0.9:
            raise ValueError(f"wanted a chance above 0 and below 0.5, and a share of it, found {self}")
        if len(self.beyond) > len(self.seconds) or min(self.beyond, default=1.0) < 1.0:
            raise ValueError(f"wanted at most one factor of at least 1 for each look, found {self.beyond}")
        if not 0.0 <= self.batch_correlation < 1.0:
            raise ValueError(f"wanted a correlation of at least 0 and below 1, found {self.batch_correlation}")

    @property
    def looks(self) -> tuple[int, ...]:
        """All looks, with the early one, but for those that are left out."""
        planned = (self.early.seconds, *self.seconds) if self.early else self.seconds
        return tuple(look for look in planned if look >= self.floor_s)

    @property
    def cap(self) -> int:
        """The seconds of load after which there is no further look."""
        return self.seconds[-1]

    @property
    def whole_s(self) -> int:
        """The seconds of load that a verdict needs which rests on no factor; what is open then may go on."""
        return min(MINUTE_S, self.cap) if MINUTE_S in self.seconds else self.cap

    def is_whole(self, seconds: int) -> bool:
        """Whether so much load is enough to judge what stands still now and then, or has slowed down."""
        return seconds >= REACHED * self.whole_s

    @property
    def rounds(self) -> tuple[int, ...]:
        """All looks of a comparison, in rounds of one segment of each class. For classes loaded in turn only."""
        return tuple(self._ends.index(look) + 1 for look in self.looks)

    def at(self, seconds: int) -> Look:
        """What holds for a verdict after so many seconds of load on the class that is judged."""
        reached = max((look for look in self.looks if seconds >= REACHED * look), default=self.looks[0])
        early = self.early
        if early is not None and reached == early.seconds:
            return Look(
                seconds=seconds,
                batch_s=early.batch_s,
                batch_correlation=early.batch_correlation,
                confidence=early.confidence,
                beyond=early.beyond,
                early=True,
            )
        least = Batches(since_s=0, length_s=self.batch_s, correlation=self.batch_correlation)
        batches = max(each for each in (least, *self.longer) if each.since_s <= reached)
        number = self.seconds.index(reached)
        return Look(
            seconds=seconds,
            batch_s=batches.length_s,
            batch_correlation=batches.correlation,
            confidence=1.0 - 2.0 * self._wrong(reached),
            beyond=self.beyond[number] if number < len(self.beyond) else 1.0,
        )

    def at_least(self, seconds: float) -> AnalysisPlan:
        """Its looks from so many seconds of load on; where it has none of them, one then.

        So that all are as sure as they are in this plan, they get nothing of the budget of those that are left out.
        """
        if seconds <= self.looks[0]:
            return self
        plan = self
        if seconds > self.cap:
            until = max(seconds, self.cap / REACHED)
            plan = going_on(
                self, longest_s=STEP_S * math.ceil(until / STEP_S), turn_s=self.segments[-1] if self.segments else 0
            )
        return replace(plan, floor_s=math.ceil(seconds))

    def _wrong(self, look: int) -> float:
        """The chance of a look that is no early one to pass storage at its limit, or to fail it.

        Those before the minute share theirs evenly (Bonferroni's inequality). The others have most of the budget, are
        as sure as each other, and together no more often wrong than it says (`even_chance`).
        """
        soon = [duration for duration in self.seconds if duration < self.whole_s]
        if look in soon:
            return self.wrong_pass * self.soon / len(soon)
        left = 1.0 - (self.soon if soon else 0.0) - (self.early.share if self.early else 0.0)
        return even_chance(self.seconds[len(soon) :], budget=self.wrong_pass * left)

    @property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(self.segments))


# Synchronous writes are the noisiest load and carry the hard rule: what is not far off is looked at late.
DURABLE = AnalysisPlan(seconds=(40, 60), early=EarlyLook(), beyond=(1.25,))
# All looks at classes in turn are after an even number of rounds: each began as often as the other, and steady drift
# cancels out. Two short rounds come first, for the early look; what they save, the next two last longer. Shorter ones
# hold no batch, and without it the same time on the clock has more wrong verdicts (docs/statistics.md).
DURABLE_IN_TURN = AnalysisPlan(
    seconds=(40, 60), batch_s=5, segments=(5, 5, 15, 15, 10, 10), early=EarlyLook(seconds=10)
)
# Everything else: what is clear is clear soon. In turn with the baseline, from the sixth round on a batch is a turn,
# for seconds of different turns lie apart; before it, turns are too few, and it is a second.
IN_TURN = AnalysisPlan(
    seconds=(4, 8, 12, 32, 60),
    batch_s=1,
    segments=(2,) * 30,
    batch_correlation=SECONDS_CORRELATION,
    longer=(Batches(since_s=12, length_s=5, correlation=0.2),),
    soon=0.4,
)
# Alone, the load never pauses, and only batches of four seconds are nearly independent. What is fast for half a minute
# and a third as fast afterwards has shown nothing of that within 24 s: until then the factor is that of the early look.
ALONE = AnalysisPlan(seconds=(16, 24, 36, 60), early=EarlyLook(), beyond=(3.0, 3.0, 1.25))
# A profile that nothing is asked of is measured for this long.
UNJUDGED_S = 12
TURN_S, DURABLE_TURN_S = 5, 10
"""about how long turns are that go on after the minute"""
BATCHES = 20
"""of a load without a pause, at a look after the minute: the longer they are, the slower may it swing; the more, the
less does Student's t ask for that of few, and the sooner is a verdict sure"""


def unjudged_plan(seconds: float, *, in_turn: bool) -> AnalysisPlan:
    """One look, after so many seconds of load (whole batches of two); in turn the looks from then on."""
    if in_turn:
        return IN_TURN.at_least(seconds)
    return AnalysisPlan(seconds=(max(4, 2 * math.ceil(seconds / 2)),), batch_s=2)


def plan_for(*, durable: bool, in_turn: bool, longest_s: float = LONGEST_S) -> AnalysisPlan:
    """The looks at a profile: whether its writes wait until they are durable; in turn with a baseline, or alone.

    What is open after a minute of load goes on until `longest_s`, see `going_on`.
    """
    if durable:
        return going_on(DURABLE_IN_TURN if in_turn else DURABLE, longest_s=longest_s, turn_s=DURABLE_TURN_S)
    return going_on(IN_TURN if in_turn else ALONE, longest_s=longest_s, turn_s=TURN_S)


def going_on(plan: AnalysisPlan, *, longest_s: float, turn_s: int) -> AnalysisPlan:
    """The same with further looks, each as soon as it can be told from the one before (after 1.27 times its load, on
    average), the last at that time, in whole `STEP_S`.

    In turn each of its turns is a batch. The looks from the minute on share what the one at the minute had.
    """
    looks = _going_on(plan.cap, until=int(longest_s) // STEP_S * STEP_S)
    further = looks[1:]
    if not further:
        return plan
    if not plan.segments:
        lengths = {each: max(plan.batch_s, each // BATCHES) for each in further}
        longer = tuple(Batches(each, length, correlation_of_sums(length)) for each, length in lengths.items())
        return replace(plan, seconds=(*plan.seconds, *further), longer=longer)
    turns = (turn for begin, end in pairwise(looks) for turn in _turns(end - begin, about_s=turn_s))
    return replace(
        plan,
        seconds=(*plan.seconds, *further),
        longer=plan.longer or (Batches(since_s=further[0], length_s=max(plan.segments)),),
        segments=(*plan.segments, *turns),
    )


def _going_on(cap: int, *, until: int) -> list[int]:
    """The last of the looks that there are, and those after it."""
    looks = [cap]
    while (look := STEP_S * (math.floor(looks[-1] / REACHED / STEP_S) + 1)) < REACHED * until:
        looks.append(look)
    return [*looks, until] if looks[-1] < REACHED * until else looks


def _turns(seconds: int, *, about_s: int) -> list[int]:
    """So many seconds, which are even, in pairs of turns of the same length: in each pair either class begins once."""
    pairs = max(1, round(seconds / 2 / about_s))
    lengths = [seconds // 2 // pairs + (place < seconds // 2 % pairs) for place in range(pairs)]
    return [length for length in lengths for _ in range(2)]
