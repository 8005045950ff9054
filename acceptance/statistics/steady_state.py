"""The test whether a load has reached a steady level: SNIA's steady state, on rounds of equal length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 5
"""The rounds in the measurement window."""
MOST_RANGE, MOST_SLOPE = 0.2, 0.1
"""The maximum range and slope, as shares of the mean of the rounds."""


@dataclass(frozen=True, kw_only=True)
class SteadyState:
    """The range of the rounds, and the rise or fall of the line through them; both as shares of their mean."""

    range: float
    slope: float

    @property
    def holds(self) -> bool:
        """True if both are within SNIA's bounds."""
        return self.range <= MOST_RANGE and self.slope <= MOST_SLOPE


def steady_state(rounds: Sequence[float]) -> SteadyState:
    """Return the state of the rates of five rounds, one after the other.

    SNIA, Solid State Storage Performance Test Specification 2.0.2 (2020), Definitions, "Steady State": the largest and
    the smallest rate of the window differ by at most 20 % of its mean, and those of the best-fitting line (least
    squares) by at most 10 %. Rounds without any operation are steady. Raises ValueError for another number of rounds,
    for negative values and for values that are not finite.
    """
    if len(rounds) != ROUNDS or not all(math.isfinite(rate) and rate >= 0.0 for rate in rounds):
        raise ValueError(f"expected {ROUNDS} finite rates of at least zero, found {list(rounds)}")
    mean, middle = math.fsum(rounds) / ROUNDS, (ROUNDS - 1) / 2
    if mean == 0.0:
        return SteadyState(range=0.0, slope=0.0)
    places = [place - middle for place in range(ROUNDS)]
    slope = math.fsum(place * rate for place, rate in zip(places, rounds, strict=True)) / math.fsum(
        place**2 for place in places
    )
    return SteadyState(range=(max(rounds) - min(rounds)) / mean, slope=abs(slope) * (ROUNDS - 1) / mean)
