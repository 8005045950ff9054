"""Years of nights whose noise is known: alike from night to night, with heavy tails, with falls and declines."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.judging.history.following import Night, follow
from acceptance.judging.history.verdicts import NIGHTLY_ERROR
from acceptance.limits.history import RUNS

YEAR = 365
WEEKEND = (5, 6)
BOUND = math.log(0.9)  # a margin of 10 %


@dataclass(frozen=True, kw_only=True)
class Nights:
    """How nights differ when nothing changes: by `noise` (a share), `alike` being the correlation with the next.

    `heavy`: Student's t with 3 degrees of freedom in place of normal noise. `weekend`: by how much storage is faster
    then.
    """

    noise: float
    alike: float = 0.0
    heavy: bool = False
    weekend: float = 0.0

    def series(self, count: int, source: random.Random) -> list[float]:
        """Logarithms, night by night, about zero."""
        fresh = math.sqrt(1.0 - self.alike**2)
        found = [self._one(source)]
        while len(found) < count:
            found.append(self.alike * found[-1] + fresh * self._one(source))
        return [
            self.noise * each + (math.log1p(self.weekend) if night % 7 in WEEKEND else 0.0)
            for night, each in enumerate(found)
        ]

    def _one(self, source: random.Random) -> float:
        if not self.heavy:
            return source.gauss(0.0, 1.0)
        squares = sum(source.gauss(0.0, 1.0) ** 2 for _ in range(3))
        return source.gauss(0.0, 1.0) / math.sqrt(squares)  # t3 / sqrt(3): of variance 1


def followed(logs: Sequence[float], *, limits: int) -> list[Night]:
    """What is said of each night once there is a level, of one of so many limits."""
    error = NIGHTLY_ERROR / limits
    return list(follow(logs, runs=RUNS, surplus=[0.0] * len(logs), bound=BOUND, error=error))


def false_alarms(nights: Nights, *, limits: int, years: int, seed: int) -> float:
    """Nights a year that some limit fails, from an empty history on, though nothing changes."""
    source = random.Random(seed)
    found = 0
    for _ in range(years):
        each = [followed(nights.series(YEAR, source), limits=limits) for _ in range(limits)]
        found += sum(any(night.fall is not None for night in same) for same in zip(*each, strict=True))
    return found / years


def alarms_of_one(nights: Nights, *, limits: int, years: int, seed: int) -> float:
    """Nights a year that one of so many limits fails, though nothing changes."""
    source = random.Random(seed)
    found = [followed(nights.series(YEAR, source), limits=limits) for _ in range(years)]
    return sum(night.fall is not None for each in found for night in each) / years


def fallen(
    nights: Nights, *, before: int, after: int, fall: float, limits: int, histories: int, seed: int
) -> Iterator[list[bool]]:
    """Of each history, whether each night after a fall fails."""
    source = random.Random(seed)
    for _ in range(histories):
        logs = nights.series(before + after, source)
        logs[before:] = [value + math.log1p(-fall) for value in logs[before:]]
        yield [night.fall is not None for night in followed(logs, limits=limits)[-after:]]


def declines(
    nights: Nights, *, a_night: float, count: int, limits: int, histories: int, seed: int
) -> Iterator[int | None]:
    """Of each history, the night in which a steady decline was first told; None where it never was."""
    source = random.Random(seed)
    for _ in range(histories):
        logs = [value + night * math.log1p(-a_night) for night, value in enumerate(nights.series(count, source))]
        said = followed(logs, limits=limits)
        yield next((RUNS + place for place, night in enumerate(said) if night.fall is not None), None)
