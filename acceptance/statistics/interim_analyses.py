"""When a measurement may be judged, and how sure each look must be: fixed before the first sample is taken.

Looking often must not buy false passes, so the chance of a wrong verdict is a budget that all looks share.
How the figures were chosen, and what they promise: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate

from acceptance.statistics.intervals import BATCH_CORRELATION

WHOLE_SHARE = 0.8
"""of the cap; no look but the last comes so late"""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a verdict needs after so many seconds of load on the class that is judged."""

    seconds: int
    batch_s: int
    batch_correlation: float
    """the correlation between neighbouring batches that every interval allows for: fixed, as all of a plan is"""
    confidence: float
    """of the two-sided interval"""
    beyond: float = 1.0
    """by what factor the whole interval must lie beyond the limit, on either side"""
    early: bool = False
    """whether it is so soon that only what is far off is decided"""

    @property
    def ratio_beyond(self) -> float:
        """The same factor for a comparison, of which only an early look asks for one: its margins are wide."""
        return self.beyond if self.early else 1.0


@dataclass(frozen=True, kw_only=True)
class EarlyLook:
    """A look before the others, at a few single seconds, for what is far off: what no burst or lull turns round.

    It is the factor that makes it sure, more than the interval: storage at its limit does not look three times as fast
    or as slow for seconds on end, whatever its noise; and a burst of less than three times passes no sooner.
    """

    seconds: int = 4
    batch_s: int = 1
    batch_correlation: float = 0.5
    confidence: float = 0.98
    beyond: float = 3.0
    share: float = 0.1
    """of the plan's error budget; a simulation shows that it is not used up (docs/statistics.md)"""

    def __post_init__(self) -> None:
        if self.beyond <= 1.0 or not 0.0 < self.share < 1.0 or self.seconds % self.batch_s:
            raise ValueError(f"wanted a factor above 1, a share of the budget and whole batches, found {self}")


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
    batch_correlation: float = BATCH_CORRELATION
    beyond: tuple[float, ...] = ()
    """For each of `seconds`, by what factor the whole interval must lie beyond the limit; where none is given, by none.

    What stands still now and then may have done so in none of the seconds that a look has seen."""

    def __post_init__(self) -> None:
        rising = all(before < after for before, after in zip((0, *self.looks), self.looks, strict=False))
        if not self.seconds or not rising:
            raise ValueError(f"wanted at least one look and rising seconds, found {self.looks}")
        if not set(self.looks) <= set(self._ends or self.looks):
            raise ValueError(f"wanted looks at the end of rounds of {self.segments} s, found {self.looks}")
        stretches = self.segments or self.seconds
        if any(length % self.batch_s for length in stretches):
            raise ValueError(f"wanted whole batches of {self.batch_s} s, found {stretches}")
        if not 0.0 < self.wrong_pass < 0.5:
            raise ValueError(f"wanted a chance above 0 and below 0.5, found {self.wrong_pass}")
        if len(self.beyond) > len(self.seconds) or min(self.beyond, default=1.0) < 1.0:
            raise ValueError(f"wanted at most one factor of at least 1 for each look, found {self.beyond}")
        if not 0.0 <= self.batch_correlation < 1.0:
            raise ValueError(f"wanted a correlation of at least 0 and below 1, found {self.batch_correlation}")

    @property
    def looks(self) -> tuple[int, ...]:
        """All looks, with the early one."""
        return (self.early.seconds, *self.seconds) if self.early else self.seconds

    @property
    def confidence(self) -> float:
        """Of the two-sided interval at each look but an early one: an even split of what the early one leaves
        (Bonferroni's inequality)."""
        left = self.wrong_pass * (1.0 - self.early.share if self.early else 1.0)
        return 1.0 - 2.0 * left / len(self.seconds)

    @property
    def cap(self) -> int:
        """The seconds of load after which there is no further look."""
        return self.seconds[-1]

    def is_whole(self, seconds: int) -> bool:
        """Whether so much load is all that there is: some seconds are lost, to slow documents and short turns."""
        return seconds >= WHOLE_SHARE * self.cap

    @property
    def rounds(self) -> tuple[int, ...]:
        """All looks of a comparison, in rounds of one segment of each class. For classes loaded in turn only."""
        return tuple(self._ends.index(look) + 1 for look in self.looks)

    def at(self, seconds: int) -> Look:
        """What holds for a verdict after so many seconds of load on the class that is judged."""
        early = self.early
        if early is None or seconds >= self.seconds[0]:
            return Look(
                seconds=seconds,
                batch_s=self.batch_s,
                batch_correlation=self.batch_correlation,
                confidence=self.confidence,
                beyond=self._beyond_at(seconds),
            )
        return Look(
            seconds=seconds,
            batch_s=early.batch_s,
            batch_correlation=early.batch_correlation,
            confidence=early.confidence,
            beyond=early.beyond,
            early=True,
        )

    def _beyond_at(self, seconds: int) -> float:
        """The factor of the last look until then; of all the load that there is, none."""
        if self.is_whole(seconds):
            return 1.0
        factors = {look: factor for look, factor in zip(self.seconds, self.beyond, strict=False) if look <= seconds}
        reached = max(look for look in self.seconds if look <= seconds) if factors else 0
        return factors.get(reached, 1.0)

    @property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(self.segments))

    def at_least(self, seconds: float) -> AnalysisPlan:
        """The same plan without the looks before so many seconds of load; after its last one, with one look then.

        Each look that is left is as sure as before, with its own share of the budget and nothing of the others': by
        Bonferroni's inequality, as for the whole plan, a wrong pass has at most the chance of these shares together.
        """
        if seconds <= self.looks[0]:
            return self
        kept = tuple(look for look in self.seconds if look >= seconds)
        segments = self.segments
        if not kept and segments:
            pairs = math.ceil((seconds - self._ends[-1]) / (2 * segments[-1]))  # of rounds, as all looks are after
            segments += (segments[-1],) * 2 * pairs
        last = sum(segments) if segments else self.batch_s * math.ceil(seconds / self.batch_s)
        looks = kept or (last,)
        return replace(
            self,
            seconds=looks,
            segments=segments,
            early=None,
            wrong_pass=len(looks) * (1.0 - self.confidence) / 2.0,
            beyond=self.beyond[len(self.seconds) - len(kept) :],
        )


# Synchronous writes are the noisiest load and carry the hard rule: what is not far off is looked at late.
DURABLE = AnalysisPlan(seconds=(40, 60), batch_s=5, early=EarlyLook())
# All looks at classes in turn are after an even number of rounds: each began as often as the other, and steady drift
# cancels out. Two short rounds come first, for the early look; what they save, the next two last longer. Shorter ones
# hold no batch, and without it the same time on the clock has more wrong verdicts (docs/statistics.md).
DURABLE_IN_TURN = AnalysisPlan(
    seconds=(40, 60), batch_s=5, segments=(5, 5, 15, 15, 10, 10), early=EarlyLook(seconds=10), beyond=(1.15,)
)
# Everything else: what is clear is clear soon. In turn with the baseline, batches of one second from short segments:
# neighbouring batches are neighbouring seconds, so the correlation of seconds is allowed for, up to what is promised.
IN_TURN = AnalysisPlan(
    seconds=(4, 8, 12, 32, 60), batch_s=1, segments=(2,) * 30, batch_correlation=0.5, beyond=(1.5, 1.5, 1.3, 1.15)
)
# Alone, the load never pauses, and only batches of four seconds are nearly independent.
ALONE = AnalysisPlan(seconds=(12, 24, 36, 60), early=EarlyLook(), beyond=(1.5,))
# A profile that nothing is asked of is measured for this long.
UNJUDGED_S = 12


def unjudged_plan(seconds: float, *, in_turn: bool) -> AnalysisPlan:
    """One look, after so many seconds of load (whole batches of two); in turn the looks from then on."""
    if in_turn:
        return IN_TURN.at_least(seconds)
    return AnalysisPlan(seconds=(max(4, 2 * math.ceil(seconds / 2)),), batch_s=2)


def plan_for(*, durable: bool, in_turn: bool) -> AnalysisPlan:
    """The looks at a profile: whether its writes wait until they are durable; in turn with a baseline, or alone."""
    if durable:
        return DURABLE_IN_TURN if in_turn else DURABLE
    return IN_TURN if in_turn else ALONE
