"""The interim analyses ("looks") of a measurement, and the confidence of each: fixed before the first sample is taken.

Frequent analyses must not cause false passes, so the chance of a wrong verdict is a budget that all analyses share.
docs/statistics.md explains how the figures were chosen, and what they promise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from acceptance.statistics.intervals import BATCH_CORRELATION, SECONDS_CORRELATION, correlation_of_sums
from acceptance.statistics.looks import Batches, EarlyLook, Look
from acceptance.statistics.overlapping_looks import even_chance

REACHED_SHARE = 0.8
"""The share of an analysis's seconds that suffices for it, because slow documents and short turns lose some seconds."""
MINUTE_S = 60
"""Seconds of load on each class that every measurement has; only undecided ones continue."""
LONGEST_S = 300
"""The default maximum duration (s) of undecided measurements."""
STEP_S = 10
"""The step (s) of the analyses after the minute."""


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """The analyses, in seconds of load on the judged storage, and the error budget that they share.

    `segments`: for classes loaded in turn, the seconds of load on each class in each round. All analyses are then at
    the end of rounds.
    Raises ValueError for analyses that do not rise, or do not end with a batch or a round.
    """

    seconds: tuple[int, ...]
    batch_s: int = 4
    segments: tuple[int, ...] = ()
    early: EarlyLook | None = None
    wrong_pass: float = 0.01
    """The chance, over all analyses, that storage exactly at its limit passes; a wrong fail has the same."""
    soon: float = 0.2
    """The share of it that the analyses before the minute, or before the only later one, have together."""
    batch_correlation: float = BATCH_CORRELATION
    longer: tuple[Batches, ...] = ()
    """The batches of later analyses, and from when on."""
    beyond: tuple[float, ...] = ()
    """For each of `seconds`, the factor by which the whole interval must lie beyond the limit; 1 if none is given.

    Storage that oscillates slowly, or stalls now and then, may have done so in none of the analysed seconds."""
    floor_s: int = 0
    """The time (s) before which analyses are left out; the others keep their own share of the budget."""
    first_visit_s: int = 0
    """The seconds of the first visit; others end at the analyses from the minute on. 0: the load has no pause."""
    warm_up_s: int = 0
    """The seconds of load in which storage may still become faster: nothing fails at an analysis in them, but at the
    last."""

    def __post_init__(self) -> None:
        apart = all(before < REACHED_SHARE * after for before, after in zip((0, *self.looks), self.looks, strict=False))
        if not self.seconds or not apart:
            raise ValueError(f"expected at least one look, and rising seconds that lie apart, found {self.looks}")
        if not set(self.looks) <= set(self._ends or self.looks):
            raise ValueError(f"expected looks at the end of rounds of {self.segments} s, found {self.looks}")
        plain = [
            duration
            for duration in self.seconds
            if duration < min((batches.since_s for batches in self.longer), default=math.inf)
        ]
        stretches = [turn for turn, end in zip(self.segments, self._ends, strict=True) if end <= max(plain)] or plain
        if any(length % self.batch_s for length in stretches):
            raise ValueError(f"expected whole batches of {self.batch_s} s, found {stretches}")
        if not 0.0 < self.wrong_pass < 0.5 or not 0.0 < self.soon < 0.9:
            raise ValueError(f"expected a chance above 0 and below 0.5, and a share of it, found {self}")
        if len(self.beyond) > len(self.seconds) or min(self.beyond, default=1.0) < 1.0:
            raise ValueError(f"expected at most one factor of at least 1 for each look, found {self.beyond}")
        if not 0.0 <= self.batch_correlation < 1.0:
            raise ValueError(f"expected a correlation of at least 0 and below 1, found {self.batch_correlation}")

    @property
    def looks(self) -> tuple[int, ...]:
        """All analyses, with the early one, except those that are left out."""
        all_looks = (self.early.seconds, *self.seconds) if self.early else self.seconds
        return tuple(look for look in all_looks if look >= self.floor_s)

    @property
    def cap(self) -> int:
        """The seconds of load after which there is no further analysis."""
        return self.seconds[-1]

    @property
    def visits(self) -> tuple[int, ...]:
        """The seconds of load at the end of each visit, of which others come between; only the cap without visits."""
        later = tuple(duration for duration in self.seconds if duration >= self.whole_s)
        return (self.first_visit_s, *later) if self.first_visit_s else (self.cap,)

    def in_visits(self) -> AnalysisPlan:
        """Return the plan for a load in visits, between which other loads run."""
        return replace(self, first_visit_s=FIRST_VISIT_S)

    def visit_end(self, seconds: int) -> int:
        """Return the seconds of load at the end of the next visit, after `seconds`; the cap if there is none."""
        return next((end for end in self.visits if seconds < REACHED_SHARE * end), self.cap)

    @property
    def whole_s(self) -> int:
        """The seconds of load that a verdict without a factor needs; undecided measurements may continue then."""
        return min(MINUTE_S, self.cap) if MINUTE_S in self.seconds else self.cap

    def is_whole(self, seconds: int) -> bool:
        """Return whether `seconds` of load suffice to judge storage that stalls now and then, or has slowed down."""
        return seconds >= REACHED_SHARE * self.whole_s

    @property
    def rounds(self) -> tuple[int, ...]:
        """All analyses of a comparison, in rounds of one segment of each class. Only for classes loaded in turn."""
        return tuple(self._ends.index(look) + 1 for look in self.looks)

    def at(self, seconds: int) -> Look:
        """Return the requirements of a verdict after `seconds` of load on the judged class."""
        reached_look = max((look for look in self.looks if seconds >= REACHED_SHARE * look), default=self.looks[0])
        early = self.early
        if early is not None and reached_look == early.seconds:
            return Look(
                seconds=seconds,
                batch_s=early.batch_s,
                batch_correlation=early.batch_correlation,
                confidence=early.confidence,
                beyond=early.beyond,
                early=True,
                may_fail=self._may_fail(seconds),
            )
        least = Batches(since_s=0, length_s=self.batch_s, correlation=self.batch_correlation)
        batches = max(choice for choice in (least, *self.longer) if choice.since_s <= reached_look)
        number = self.seconds.index(reached_look)
        return Look(
            seconds=seconds,
            batch_s=batches.length_s,
            batch_correlation=batches.correlation,
            confidence=1.0 - 2.0 * self._wrong(reached_look),
            beyond=self.beyond[number] if number < len(self.beyond) else 1.0,
            may_fail=self._may_fail(seconds),
        )

    def at_least(self, seconds: float) -> AnalysisPlan:
        """Return the plan with its analyses from `seconds` of load on; with one at that time if it has none later.

        All are as certain as in this plan, so they get nothing of the budget of those that are left out.
        """
        if seconds <= self.looks[0]:
            return self
        plan = self
        if seconds > self.cap:
            until = max(seconds, self.cap / REACHED_SHARE)
            plan = going_on(
                self, longest_s=STEP_S * math.ceil(until / STEP_S), turn_s=self.segments[-1] if self.segments else 0
            )
        return replace(plan, floor_s=math.ceil(seconds))

    def _may_fail(self, seconds: int) -> bool:
        """Return whether an analysis after the warm-up, or the last one, is reached."""
        first = next((look for look in self.looks if look > self.warm_up_s), self.cap)
        return seconds >= REACHED_SHARE * first

    def _wrong(self, look: int) -> float:
        """Return the chance that an analysis, not the early one, passes storage at its limit, or fails it.

        Those before the minute share theirs evenly (Bonferroni's inequality). The others have most of the budget, are
        equally certain, and together keep their part of the budget (`even_chance`).
        """
        soon = [duration for duration in self.seconds if duration < self.whole_s]
        if look in soon:
            return self.wrong_pass * self.soon / len(soon)
        rest = 1.0 - (self.soon if soon else 0.0) - (self.early.share if self.early else 0.0)
        return even_chance(self.seconds[len(soon) :], budget=self.wrong_pass * rest)

    @property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(self.segments))


FIRST_VISIT_S = 24
"""The duration (s) of a first visit: all analyses that need a factor of three lie in it."""
# Synchronous writes are the noisiest load and have the hard rule: storage near its limit is analysed late.
DURABLE = AnalysisPlan(seconds=(40, 60), early=EarlyLook(), beyond=(1.25,), warm_up_s=MINUTE_S)
# All analyses of classes in turn are after an even number of rounds: each class began as often as the other, and steady
# drift cancels out. Two short rounds come first, for the early analysis; the next two are longer by the saved time.
# Shorter rounds hold no batch, and without it the same total time has more wrong verdicts (docs/statistics.md).
DURABLE_IN_TURN = AnalysisPlan(
    seconds=(40, 60), batch_s=5, segments=(5, 5, 15, 15, 10, 10), early=EarlyLook(seconds=10)
)
# All other loads: clear results are clear early. In turn with the baseline, a batch is a turn from the sixth round on,
# because seconds of different turns are apart; before it, there are too few turns, and a batch is a second.
IN_TURN = AnalysisPlan(
    seconds=(4, 8, 12, 32, 60),
    batch_s=1,
    segments=(2,) * 30,
    batch_correlation=SECONDS_CORRELATION,
    longer=(Batches(since_s=12, length_s=5, correlation=0.2),),
    soon=0.4,
)
# Alone, a visit never pauses, and only batches of four seconds are nearly independent. Storage that is fast for half a
# minute and a third as fast afterwards does not show it within 24 s: until then the factor is that of the early one.
ALONE = AnalysisPlan(seconds=(16, 24, 36, 60), early=EarlyLook(), beyond=(3.0, 3.0, 1.25), warm_up_s=MINUTE_S)
# The duration (s) of a profile without limits.
UNJUDGED_S = 12
TURN_S, DURABLE_TURN_S = 5, 10
"""The approximate lengths (s) of turns after the minute."""
BATCHES = 20
"""The batches of a load without pauses, at an analysis after the minute: longer ones tolerate slower oscillations; more
of them need a smaller quantile of Student's t, so that a verdict is certain earlier."""


def unjudged_plan(seconds: float, *, in_turn: bool) -> AnalysisPlan:
    """Return one analysis after `seconds` of load (whole batches of two); in turn, all analyses from then on."""
    if in_turn:
        return IN_TURN.at_least(seconds)
    return AnalysisPlan(seconds=(max(4, 2 * math.ceil(seconds / 2)),), batch_s=2)


def plan_for(*, durable: bool, in_turn: bool, longest_s: float = LONGEST_S) -> AnalysisPlan:
    """Return the analyses of a profile, in turn with a baseline or alone; `durable`: its writes wait until durable.

    A measurement that is undecided after a minute of load continues until `longest_s`, see `going_on`.
    """
    if durable:
        return going_on(DURABLE_IN_TURN if in_turn else DURABLE, longest_s=longest_s, turn_s=DURABLE_TURN_S)
    return going_on(IN_TURN if in_turn else ALONE, longest_s=longest_s, turn_s=TURN_S)


def going_on(plan: AnalysisPlan, *, longest_s: float, turn_s: int) -> AnalysisPlan:
    """Return the plan with further analyses, each as soon as it is distinct from the previous one (after 1.27 times its
    load, on average), the last at `longest_s`, in whole `STEP_S`.

    In turn, each further turn is a batch. The analyses from the minute on share the budget of the one at the minute.
    """
    looks = _going_on(plan.cap, until=int(longest_s) // STEP_S * STEP_S)
    further = looks[1:]
    if not further:
        return plan
    if not plan.segments:
        lengths = {look: max(plan.batch_s, look // BATCHES) for look in further}
        longer = tuple(Batches(look, length, correlation_of_sums(length)) for look, length in lengths.items())
        return replace(plan, seconds=(*plan.seconds, *further), longer=longer)
    turns = (turn for begin, end in pairwise(looks) for turn in _turns(end - begin, about_s=turn_s))
    return replace(
        plan,
        seconds=(*plan.seconds, *further),
        longer=plan.longer or (Batches(since_s=further[0], length_s=max(plan.segments)),),
        segments=(*plan.segments, *turns),
    )


def _going_on(cap: int, *, until: int) -> list[int]:
    """Return the last existing analysis, and those after it."""
    looks = [cap]
    while (look := STEP_S * (math.floor(looks[-1] / REACHED_SHARE / STEP_S) + 1)) < REACHED_SHARE * until:
        looks.append(look)
    return [*looks, until] if looks[-1] < REACHED_SHARE * until else looks


def _turns(seconds: int, *, about_s: int) -> list[int]:
    """Return `seconds`, an even number, as pairs of turns of equal length: in each pair, each class begins once."""
    pairs = max(1, round(seconds / 2 / about_s))
    lengths = [seconds // 2 // pairs + (place < seconds // 2 % pairs) for place in range(pairs)]
    return [length for length in lengths for _ in range(2)]
