"""When a measurement may be judged, and how sure each look must be: fixed before the first sample is taken.

Looking often must not buy false passes, so the chance of a wrong verdict is a budget that all looks share.
How the figures were chosen, and what they promise: docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.statistics import BATCH_CORRELATION


@dataclass(frozen=True, kw_only=True)
class LookPlan:
    """The looks, in seconds of load on the storage judged, and the error budget that they share.

    A plan can serve one continuous run and a comparison in segments: all looks are whole segments.
    Raises ValueError for looks that do not rise, or do not end with a batch or a segment.
    """

    seconds: tuple[int, ...]
    batch_s: int = 4
    segment_s: int = 12
    wrong_pass: float = 0.01
    """The chance, over all looks, that storage exactly at its limit passes; the same holds for a wrong fail."""
    batch_correlation: float = BATCH_CORRELATION
    """The correlation between neighbouring batches that every interval allows for: fixed, as all of the plan is."""

    def __post_init__(self) -> None:
        rising = all(earlier < later for earlier, later in zip((0, *self.seconds), self.seconds, strict=False))
        if not self.seconds or not rising:
            raise ValueError(f"wanted at least one look and rising seconds, found {self.seconds}")
        if any(look % self.segment_s for look in self.seconds) or self.segment_s % self.batch_s:
            raise ValueError(
                f"wanted looks of whole segments ({self.segment_s} s) of whole batches ({self.batch_s} s), "
                f"found {self.seconds}"
            )
        if not 0.0 < self.wrong_pass < 0.5:
            raise ValueError(f"wanted a chance above 0 and below 0.5, found {self.wrong_pass}")
        if not 0.0 <= self.batch_correlation < 1.0:
            raise ValueError(f"wanted a correlation of at least 0 and below 1, found {self.batch_correlation}")

    @property
    def confidence(self) -> float:
        """Of the two-sided interval at each look, from an even split of the budget (Bonferroni's inequality)."""
        return 1.0 - 2.0 * self.wrong_pass / len(self.seconds)

    @property
    def cap(self) -> int:
        """The seconds of load after which there is no further look."""
        return self.seconds[-1]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The looks of a comparison, in rounds of one segment of each class."""
        return tuple(look // self.segment_s for look in self.seconds)


# All looks at classes in turn are after an even number of rounds: each began as often as the other, and steady drift
# cancels out. Synchronous writes are the noisiest load and carry the hard rule, so their first look is the longest.
DURABLE = LookPlan(seconds=(40, 60), batch_s=5, segment_s=10)
# Everything else: what is clear is clear soon. In turn with the baseline, batches of one second from short segments:
# neighbouring batches are neighbouring seconds, so the correlation of seconds is allowed for, up to what is promised.
IN_TURN = LookPlan(seconds=(4, 8, 12, 32, 60), batch_s=1, segment_s=2, batch_correlation=0.5)
# Alone, the load never pauses, and only batches of four seconds are nearly independent.
ALONE = LookPlan(seconds=(12, 24, 36, 60))
# A profile that nothing is asked of is measured for this long.
UNJUDGED_S = 12


def plan_for(*, durable: bool, in_turn: bool) -> LookPlan:
    """The looks at a profile: whether its writes wait until they are durable; in turn with a baseline, or alone."""
    if durable:
        return DURABLE
    return IN_TURN if in_turn else ALONE
