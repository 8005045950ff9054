"""Volumes at a set rate that are only simulated: fio's limiter before storage whose seconds resemble their neighbours.

The share is the one of a run, and so are the looks. Seeded, so that a failure is a change in the code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from acceptance.judging.outcome import decide
from acceptance.measuring.windows import TimedSample
from acceptance.results.metrics import Metric
from acceptance.results.requirement import Decision
from acceptance.statistics.step_analyses import rate_windows_s
from acceptance.trials.scaling.loaded_volume import LoadedVolume
from acceptance.trials.scaling.step_records import rate_record
from selftests.unit.simulated_load import second

RUNS = 400
RATE = 1000.0
IOPS = Metric.parse("write.iops")
SPARE_S = 2
STALL_S, EVERY_S = 2, 20


@dataclass(frozen=True, kw_only=True)
class Storage:
    """What a volume can do, as a multiple of its rate: `can` on average, with seconds that differ by `cv` and are
    correlated by `correlation` with their neighbours, lognormal; `stalls`: nothing for 2 s of every 20 s."""

    can: float
    cv: float = 0.3
    correlation: float = 0.5
    stalls: bool = False


@cache
def _noise(correlation: float, seconds: int, stream: int) -> tuple[tuple[list[float], int], ...]:
    random, fresh = Random(4711 + stream + round(100 * correlation)), math.sqrt(1 - correlation**2)

    def one() -> list[float]:
        series = [random.gauss(0, 1)]
        while len(series) < seconds:
            series.append(correlation * series[-1] + fresh * random.gauss(0, 1))
        return series

    return tuple((one(), random.randrange(EVERY_S)) for _ in range(RUNS))


def _volume(storage: Storage, noise: list[float], phase: int) -> LoadedVolume:
    """What is owed is asked for again in the next second; the first second is before the first sample."""
    sigma, owed, samples = math.sqrt(math.log(1 + storage.cv**2)), 0.0, []
    for number, each in enumerate(noise):
        can = storage.can * math.exp(sigma * each - sigma**2 / 2)
        if storage.stalls:
            can *= 0.0 if (number + phase) % EVERY_S < STALL_S else EVERY_S / (EVERY_S - STALL_S)
        done = min(1 + owed, can)
        owed += 1 - done
        samples.append(TimedSample(end_s=number + 1, sample=second("write", rate=RATE * done, block_size=4096)))
    return LoadedVolume(pod="a", node="n", offset_s=0, samples=samples[1:], head=samples[:1])


def _decisions(storage: Storage, *, window_s: float, at_least: float) -> Iterator[list[Decision]]:
    """For each run what each look would say, every one of a run of its own."""
    looks = rate_windows_s(window_s)
    drawn = [_noise(storage.correlation, math.ceil(look) + SPARE_S, stream) for stream, look in enumerate(looks)]
    for run in zip(*drawn, strict=True):
        said: list[Decision] = []
        for look, (noise, phase) in zip(looks, run, strict=True):
            record = rate_record([_volume(storage, noise, phase)], metric=IOPS, rate=RATE, window_s=look)
            share = record.reached["a"]
            assert share.low is not None and share.high is not None
            said.append(decide(share.low, share.high, at_least=at_least))
            if said[-1] != "inconclusive":
                break
        yield said


@cache
def ends(storage: Storage, *, window_s: float = 6.0, at_least: float = 0.98) -> dict[Decision, float]:
    """The share of runs that end with each decision: the first look that decides ends a run."""
    found: dict[Decision, float] = {"pass": 0.0, "fail": 0.0, "inconclusive": 0.0}
    for said in _decisions(storage, window_s=window_s, at_least=at_least):
        found[said[-1]] += 1 / RUNS
    return found
