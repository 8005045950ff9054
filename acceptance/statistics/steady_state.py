"""Whether a load has come to rest at a level: SNIA's steady state, on rounds of equal length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 5
"""in the measurement window"""
MOST_RANGE, MOST_SLOPE = 0.2, 0.1
"""of the mean of the rounds"""


@dataclass(frozen=True, kw_only=True)
class SteadyState:
    """How far the rounds are apart, and how far the line through them rises or falls; both as shares of their mean."""

    range: float
    slope: float

    @property
    def holds(self) -> bool:
        """Whether both are within what SNIA allows."""
        return self.range <= MOST_RANGE and self.slope <= MOST_SLOPE


def steady_state(rounds: Sequence[float]) -> SteadyState:
    """Of the rates of five rounds, one after the other.

    SNIA, Solid State Storage Performance Test Specification 2.0.2 (2020), Definitions, "Steady State": the largest and
    the smallest of the window are no more than 20 % of its mean apart, and those of the line that fits it best (least
    squares) no more than 10 %. Rounds in which nothing was done at all are steady. Raises ValueError for another number
    of rounds, for negative values and for values that are not finite.
    """
    if len(rounds) != ROUNDS or not all(math.isfinite(each) and each >= 0.0 for each in rounds):
        raise ValueError(f"wanted {ROUNDS} finite rates of at least zero, found {list(rounds)}")
    mean, middle = math.fsum(rounds) / ROUNDS, (ROUNDS - 1) / 2
    if mean == 0.0:
        return SteadyState(range=0.0, slope=0.0)
    places = [place - middle for place in range(ROUNDS)]
    fitted = math.fsum(place * each for place, each in zip(places, rounds, strict=True)) / math.fsum(
        place**2 for place in places
    )
    return SteadyState(range=(max(rounds) - min(rounds)) / mean, slope=abs(fitted) * (ROUNDS - 1) / mean)
