"""When a measurement may be judged, and how sure each look must be: fixed before the first sample is taken.

Looking often must not buy false passes, so the chance of a wrong verdict is a budget that all looks share.
How the figures were chosen, and what they promise: docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LookPlan:
    """The looks, in seconds of load on the storage judged, and the error budget that they share.

    The same plan serves one continuous run and a comparison in segments: both looks are whole segments.
    Raises ValueError for looks that do not rise, or do not end with a batch or a segment.
    """

    seconds: tuple[int, ...] = (36, 60)
    batch_s: int = 4
    segment_s: int = 12
    wrong_pass: float = 0.01
    """The chance, over all looks, that storage exactly at its limit passes; the same holds for a wrong fail."""

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


PLAN = LookPlan()
