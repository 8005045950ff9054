"""Rebuilds that are only simulated, judged by the functions of a run: of storage that needs a while to begin, and of
storage that copies faster until its credits are used up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from acceptance.judging.rebuild_size import decide_size
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.results.requirement import Decision
from selftests.unit.rebuild_records import GI, record, record_of_two, timed

SIZES = 5 * GI, 20 * GI
REAL = 1024 * GI
"""of which the limit asks; nobody measures it"""
UNCERTAIN_S = 0.2


@dataclass(frozen=True, kw_only=True)
class Copying:
    """Storage that copies `rate` bytes a second after `start_up_s`; the first `burst` bytes `times` as fast.

    `noise`: the standard deviation of a rebuild's time, as a share of it.
    """

    rate: float = 300 * 1024**2
    start_up_s: float = 0.0
    burst: float = 0.0
    times: float = 3.0
    noise: float = 0.05

    def seconds(self, size: float) -> float:
        """On average."""
        fast = min(size, self.burst)
        return self.start_up_s + fast / self.rate / self.times + (size - fast) / self.rate

    def rebuilt(self, size: int, *, random: Random) -> TimedRebuild:
        """Once, with noise that is lognormal."""
        sigma = math.sqrt(math.log(1 + self.noise**2))
        return timed(self.seconds(size) * math.exp(random.gauss(-(sigma**2) / 2, sigma)), exact_to_s=UNCERTAIN_S)

    def measured(self, *, repeats: int, two: bool, random: Random) -> RebuildRecord:
        """What a run finds; `two`: of both sizes, else of the larger alone."""
        smaller, larger = ([self.rebuilt(size, random=random) for _ in range(repeats)] for size in SIZES)
        return record_of_two(smaller, larger, sizes=SIZES) if two else record(*larger, size=SIZES[1])


def decisions(
    storage: Copying, *, takes: float, repeats: int, two: bool, runs: int, seed: int = 1
) -> dict[Decision, float]:
    """The shares of runs with each verdict, where the rebuild of `REAL` truly takes `takes` times the time limit."""
    found: dict[Decision, float] = {"pass": 0.0, "fail": 0.0, "inconclusive": 0.0}
    for status in _each(storage, takes=takes, repeats=repeats, two=two, runs=runs, random=Random(seed)):
        found[status] += 1 / runs
    return found


def _each(storage: Copying, *, takes: float, repeats: int, two: bool, runs: int, random: Random) -> Iterator[Decision]:
    limit = {"time_limit_s": storage.seconds(REAL) / takes}
    for _ in range(runs):
        found = storage.measured(repeats=repeats, two=two, random=random)
        # The interval of a largest volume is of its own time limit: the same, scaled.
        scaled = limit["time_limit_s"] / found.time_limit_s
        volume = found.largest_volume
        if not two and volume.low is not None and volume.high is not None:
            volume = volume.model_copy(update={"low": volume.low * scaled, "high": volume.high * scaled})
        yield decide_size(found.model_copy(update={**limit, "largest_volume": volume}), REAL)
