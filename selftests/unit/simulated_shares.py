"""A volume at shares of what it can do, simulated: fio's rate limiter before storage whose seconds differ.

What it can do in a second follows its neighbours'; what is owed is asked for again in the next, 64 at a time, as the
profiles' depth is. The loads go through `UnderLoad`, with the looks of a run. Seeded, so that a failure is a change in
the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from acceptance.judging.under_load import decide_under_load, judge_under_load
from acceptance.limits.limit import Limit
from acceptance.limits.under_load import limit_at_share
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import PreparedVolume, Segment
from acceptance.measuring.measure import BySegment, Recording
from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.under_load import UnderLoadRecord
from acceptance.statistics.interim_analyses import LONGEST_S, MINUTE_S, AnalysisPlan, unjudged_plan
from acceptance.trials.speed.under_load import UnderLoad, judged_plan
from selftests.unit.simulated_latencies import sample

P99 = Metric.parse("write.latency.p99")
RATE, DEPTH, QUICK_S = 1000.0, 64, 0.001
NOW = datetime(2026, 11, 24, 3, 0, 0, tzinfo=UTC)
PROFILE = Profile(
    name="writes", path=Path("writes.fio"), text="[writes]\nrw=randwrite\niodepth=64\n", about="", jobs=("writes",)
)


def at_most(seconds: float, *, share: float = 0.8) -> Limit:
    return limit_at_share("writes", P99, "at_most_under_load", seconds, of_capacity=share, because="commits wait")


@dataclass(frozen=True, kw_only=True)
class Storage:
    """It can do `RATE` in a second on average, lognormal by `cv`, neighbours correlated by 0.5.

    `later`: that times as much once its capacity has been measured. `swings`: one second in eight that much less.
    `stalls`: it does nothing for 2 s in every 20.
    """

    cv: float = 0.1
    later: float = 1.0
    swings: float = 0.0
    stalls: bool = False

    def can(self, random: numpy.random.Generator, *, seconds: int) -> list[float]:
        sigma, value, phase = math.sqrt(math.log(1 + self.cv**2)), random.normal(), int(random.integers(20))
        found = []
        for number in range(seconds):
            value = 0.5 * value + math.sqrt(0.75) * random.normal()
            each = RATE * math.exp(sigma * value - sigma**2 / 2) * (1 - self.swings * (number % 8 == 3))
            still = self.stalls and (number + phase) % 20 < 2
            found.append(0.0 if still else each * (20 / 18 if self.stalls else 1.0))
        return found


def seconds_of(storage: Storage, *, rate: int | None, seconds: int, random: numpy.random.Generator) -> list[Sample]:
    """What fio shows; without a rate all that the storage can do."""
    owed, samples = 0.0, []
    for can in storage.can(random, seconds=seconds):
        can *= 1.0 if rate is None else storage.later
        wanted = math.inf if rate is None else rate + owed
        done = min(wanted, can)
        owed = 0.0 if rate is None else wanted - done
        behind = rate is None or owed > 0.0 or wanted > rate
        typical_s = max(QUICK_S, DEPTH / can) if behind and can else QUICK_S
        samples.append(sample(typical_s * random.lognormal(0.0, 0.2, size=round(done))))
    return samples


def recording(samples: list[Sample], *, profile: Profile = PROFILE) -> Recording:
    segment = Segment(pod="p", node="n", fio_version="fio-3.33", start_time=NOW, samples=tuple(samples))
    volume = PreparedVolume(storage_class="fast", node="n", test_size=2**30)
    return Recording(profile=profile, volume=volume, role="candidate", segments=(segment,))


def loads(storage: Storage, *, seed: int) -> Callable[..., Recording]:
    """As `SpeedRunner.whole_load` runs them: to the first look that is decided, or to the last."""
    random = numpy.random.default_rng(seed)

    def load(
        profile: Profile,
        *,
        plan: AnalysisPlan,
        name: str,
        rate: int | None = None,
        is_decided: Callable[[BySegment], bool] = lambda _: False,
    ) -> Recording:
        samples = seconds_of(storage, rate=rate, seconds=plan.cap, random=random)
        look = next((each for each in plan.looks if is_decided([samples[:each]])), plan.cap)
        return recording(samples[:look], profile=profile)

    return load


def record_of(
    storage: Storage, *, limits: tuple[Limit, ...], seed: int = 1, longest_s: float = MINUTE_S, **told: Any
) -> UnderLoadRecord:
    """What a run finds."""
    return UnderLoad(
        loads(storage, seed=seed),
        told.pop("profile", PROFILE),
        limits=limits,
        is_decided=lambda at, limit: decide_under_load(at, limit) != "inconclusive",
        judged_load_plan=judged_plan(longest_s),
        unjudged_load_plan=unjudged_plan(12, in_turn=False),
    ).record(cache=told.pop("cache", None))


@cache
def verdict(storage: Storage, *, at_most_s: float, seed: int, longest_s: float = LONGEST_S) -> Verdict:
    """What a run says of the p99 at 80 %. The shares that nobody judges are left out: it takes none of their time."""
    limit = at_most(at_most_s)
    return judge_under_load(only(storage, limit, seed=seed, longest_s=longest_s), limit)


def only(storage: Storage, limit: Limit, *, seed: int, longest_s: float) -> UnderLoadRecord:
    """The record with the one share that the limit names."""
    load = loads(storage, seed=seed)

    def short(profile: Profile, *, name: str, **told: Any) -> Recording:
        if name not in ("capacity", "at-80-percent"):
            told["plan"] = replace(told["plan"], seconds=(4,))
        return load(profile, name=name, **told)

    return UnderLoad(
        short,
        PROFILE,
        limits=[limit],
        is_decided=lambda at, each: decide_under_load(at, each) != "inconclusive",
        judged_load_plan=judged_plan(longest_s),
        unjudged_load_plan=unjudged_plan(12, in_turn=False),
    ).record(cache=None)
