"""Storage whose pace changes over a run: neighbors, compaction, throttling, warming up, stalls at random times.

Loaded by the simulated fio of `simulated_standstills`. The times of all events are drawn at random.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy


@dataclass(frozen=True, kw_only=True)
class Phases:
    """Phases of `slow` times the full speed: `slow_s` long, `free_s` apart. `exponential`: on average, at random."""

    slow: float
    slow_s: float
    free_s: float
    exponential: bool = False

    def edges(self, random: Random, until_s: float) -> list[tuple[float, float]]:
        """Return when each slow phase begins and ends."""
        at_s = -random.uniform(0, self.slow_s + self.free_s) * (3 if self.exponential else 1)
        edges = []
        while at_s < until_s:
            free_s, slow_s = (self._lasts(length_s, random) for length_s in (self.free_s, self.slow_s))
            edges.append((at_s + free_s, at_s + free_s + slow_s))
            at_s += free_s + slow_s
        return edges

    def _lasts(self, length_s: float, random: Random) -> float:
        return random.expovariate(1 / length_s) if self.exponential else length_s

    @property
    def mean(self) -> float:
        """The pace over all time."""
        return (self.slow * self.slow_s + self.free_s) / (self.slow_s + self.free_s)


class Paced:
    """Storage that does `rate` operations a second on the average of all its time, but for a warm-up.

    `noise`: the deviation of a second, neighbors correlated by `correlation`. `warm_up`: the pace of the first seconds
    of load, and how long that lasts.
    """

    def __init__(
        self,
        *,
        rate: float,
        seed: int,
        phases: Phases | None = None,
        noise: float = 0.05,
        correlation: float = 0.3,
        warm_up: tuple[float, float] | None = None,
        until_s: float = 7200.0,
    ) -> None:
        random, count = Random(seed), math.ceil(until_s) + 1
        values = numpy.random.default_rng(seed).standard_normal(count)
        deviation, value, shares = math.sqrt(1 - correlation**2), 0.0, numpy.ones(count)
        for second in range(count):
            value = correlation * value + deviation * values[second]
            values[second] = value
        shares *= numpy.maximum(0.0, 1 + noise * values)
        self._stills: list[tuple[float, float]] = []
        if phases is not None:
            edges = phases.edges(random, until_s)
            shares /= phases.mean
            if phases.slow:
                pace = _pace(edges, count)
                shares *= 1 - pace * (1 - phases.slow)
            else:
                self._stills = edges
                shares *= 1 - _pace(edges, count)
        self._each = rate * shares
        self._warm_up, self._begun_s = warm_up, math.inf
        self._done = numpy.concatenate([[0.0], numpy.cumsum(self._each)])
        self._ends = [end for _, end in self._stills]

    def begin(self, at_s: float) -> None:
        """A load begins: the first one warms the storage up."""
        if self._begun_s == math.inf:
            self._begun_s = at_s
            if self._warm_up is not None:
                pace, lasts_s = self._warm_up
                slow = _pace([(at_s, at_s + lasts_s)], len(self._each))
                self._done = numpy.concatenate([[0.0], numpy.cumsum(self._each * (1 - slow * (1 - pace)))])

    def end(self, at_s: float) -> None:
        """A load has ended."""

    def awake(self, at_s: float) -> float:
        """Return when the storage goes on that is asked for something now."""
        place = bisect_left(self._ends, at_s)
        if place == len(self._ends):
            return at_s
        begin, end = self._stills[place]
        return end if begin <= at_s else at_s

    def waits(self, begin_s: float, end_s: float) -> Counter[int]:
        """Return for how long (ns) operations waited, one in each standstill that has ended."""
        first, last = bisect_left(self._ends, begin_s), bisect_right(self._ends, end_s + 1e-9)
        return Counter(round(1e9 * (end - max(at, begin_s))) for at, end in self._stills[first:last])

    def done(self, at_s: float) -> float:
        """Return the operations until then."""
        second = int(at_s)
        return float(self._done[second] + (at_s - second) * (self._done[second + 1] - self._done[second]))


def _pace(edges: Sequence[tuple[float, float]], count: int) -> numpy.ndarray:
    """Return the share of each second that lies in these intervals."""
    covered = numpy.zeros(count)
    for begin_s, end_s in edges:
        first, last = max(0, math.floor(begin_s)), min(count, math.ceil(end_s))
        for second in range(first, last):
            covered[second] += max(0.0, min(end_s, second + 1) - max(begin_s, second))
    return covered


Making = Callable[[int], Paced]
"""Makes storage from a seed; on the average of all its time it does a rate of 1,000."""
RATE = 1000.0


def _making(phases: Phases | None = None, **more: object) -> Making:
    return lambda seed: Paced(rate=RATE, seed=seed, phases=phases, **more)  # type: ignore[arg-type]


STORAGES: dict[str, Making] = {
    "noise of 5 %": _making(),
    "noise of 15 %": _making(noise=0.15),
    "noise of 15 %, correlation 0.9": _making(noise=0.15, correlation=0.9),
    "stands still for 2 s at random, every 20 s": _making(Phases(slow=0, slow_s=2, free_s=18, exponential=True)),
    "stands still for 8 s at random, every 30 s": _making(Phases(slow=0, slow_s=8, free_s=22, exponential=True)),
    "stands still for 6 s at random, every 90 s": _making(Phases(slow=0, slow_s=6, free_s=84, exponential=True)),
    "compacts for 15 s in 60, at 0.4": _making(Phases(slow=0.4, slow_s=15, free_s=45)),
    "compacts for 20 s in 120, at 0.4": _making(Phases(slow=0.4, slow_s=20, free_s=100)),
    "compacts for 40 s in 120, at 0.5": _making(Phases(slow=0.5, slow_s=40, free_s=80)),
    "compacts for 40 s in 300, at 0.4": _making(Phases(slow=0.4, slow_s=40, free_s=260)),
    "neighbor: 30 s at 0.6, 60 s free": _making(Phases(slow=0.6, slow_s=30, free_s=60)),
    "neighbor: 2 min at 0.5, 4 min free": _making(Phases(slow=0.5, slow_s=120, free_s=240)),
    "neighbor: 10 min at 0.7, 20 min free": _making(Phases(slow=0.7, slow_s=600, free_s=1200)),
    "0.5 or 1.5 times the mean, 20 s each on average": _making(
        Phases(slow=1 / 3, slow_s=20, free_s=20, exponential=True)
    ),
    "throttles: 30 s at half in 120": _making(Phases(slow=0.5, slow_s=30, free_s=90)),
    "warms up: 0.2 for 20 s": _making(warm_up=(0.2, 20)),
    "warms up: 0.5 for 30 s": _making(warm_up=(0.5, 30)),
    "warms up: 0.3 for 60 s": _making(warm_up=(0.3, 60)),
}
LOADED_ONCE: dict[str, str] = {
    "stands still for 2 s at random, every 20 s": "4 to 6, 0",
    "stands still for 8 s at random, every 30 s": "22, 0",
    "stands still for 6 s at random, every 90 s": "26, 0",
    "compacts for 15 s in 60, at 0.4": "2 to 3, 0",
    "compacts for 20 s in 120, at 0.4": "39 to 43, 5 to 15",
    "compacts for 40 s in 120, at 0.5": "25 to 28, 61 to 63",
    "compacts for 40 s in 300, at 0.4": "63 to 65, 16 to 17",
    "neighbor: 30 s at 0.6, 60 s free": "33 to 35, 44 to 48",
    "neighbor: 2 min at 0.5, 4 min free": "54, 42",
    "neighbor: 10 min at 0.7, 20 min free": "61 to 65, 33 to 36",
    "0.5 or 1.5 times the mean, 20 s each on average": "14 to 16, 48 to 50",
    "throttles: 30 s at half in 120": "100, 0",
    "warms up: 0.2 for 20 s": "0, 100",
    "warms up: 0.5 for 30 s": "0, 0",
}
"""5 % short and passed, 5 % over and failed (percent), when a profile was loaded once."""
