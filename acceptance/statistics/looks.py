"""One interim analysis: what a verdict requires at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from acceptance.statistics.intervals import BATCH_CORRELATION, SECONDS_CORRELATION


@dataclass(frozen=True, kw_only=True)
class Look:
    """The requirements of a verdict after `seconds` of load on the judged class."""

    seconds: int
    batch_s: int
    batch_correlation: float
    """The least correlation between neighbouring batches that every interval allows for: fixed, as all of a plan."""
    confidence: float
    """The confidence of the two-sided interval."""
    beyond: float = 1.0
    """The factor by which the whole interval must lie beyond the limit, on either side."""
    early: bool = False
    """True if it is so early that only storage far from its limit is decided."""
    may_fail: bool = True
    """False if storage that is slow may still be warming up."""


@dataclass(frozen=True, kw_only=True)
class EarlyLook:
    """An early analysis of a few single seconds, for storage so far from its limit that no burst changes the verdict.

    Its certainty comes from the factor more than from the interval: storage at its limit does not appear three times as
    fast or as slow for several seconds, with any noise; and a burst of less than three times does not pass earlier.
    """

    seconds: int = 4
    batch_s: int = 1
    batch_correlation: float = SECONDS_CORRELATION
    confidence: float = 0.98
    beyond: float = 3.0
    share: float = 0.1
    """Its share of the plan's error budget; a simulation shows that it is not used up (docs/statistics.md)."""

    def __post_init__(self) -> None:
        if self.beyond <= 1.0 or not 0.0 < self.share < 1.0 or self.seconds % self.batch_s:
            raise ValueError(f"expected a factor above 1, a share of the budget and whole batches, found {self}")


class Batches(NamedTuple):
    """The length of batches from `since_s` seconds of load on, and the correlation of neighbouring batches.

    A shorter turn is one batch.
    """

    since_s: int
    length_s: int
    correlation: float = BATCH_CORRELATION
