"""Storage that is faster after a rest, as small cloud disks and rate limits with a burst are: a bucket of tokens.

Loaded by the simulated fio of `simulated_standstills`, through the runner that measures in a run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import PreparedVolume, Preparing
from acceptance.statistics.interim_analyses import MINUTE_S
from acceptance.text.errors import AcceptanceError
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.runner import SpeedRunner
from selftests.unit.made_limits import tier_with
from selftests.unit.simulated_standstills import UNTIL_S, SimulatedBench, Standstills, Storage, volume


@dataclass(kw_only=True)
class Credits:
    """Storage that does `rate` operations a second as long as it is loaded, and `burst` times as much while it has
    credits: `credits_s` seconds of its rate, which come back at its rate while it rests.

    `full`: whether it has them at first. `noise` is as that of `Standstills`, and has no part in the credits.
    `until_s`: it is loaded for no longer.
    """

    rate: float
    burst: float
    credits_s: float
    noise: float
    seed: int
    full: bool = False
    until_s: float = UNTIL_S

    def __post_init__(self) -> None:
        random, value, last = Random(self.seed), 0.0, 0.0
        self._noise = [0.0]
        for _ in range(math.ceil(self.until_s) + 1):
            value = 0.3 * value + math.sqrt(1 - 0.3**2) * random.gauss(0, 1)
            last += max(0.0, 1 + self.noise * value)
            self._noise.append(last)
        self._left_s = self.credits_s if self.full else 0.0
        self._begun_s = self._ended_s = 0.0

    def begin(self, at_s: float) -> None:
        """It has rested since the load before."""
        self._left_s = min(self.credits_s, self._left_s + (at_s - self._ended_s if self._ended_s else 0.0))
        self._begun_s = at_s

    def end(self, at_s: float) -> None:
        """It begins to rest, with what credits are left."""
        self._left_s = max(0.0, self._left_s - (self.burst - 1) * (at_s - self._begun_s))
        self._ended_s = at_s

    def spend(self) -> None:
        """Others have used up its credits."""
        self._left_s = 0.0

    def awake(self, at_s: float) -> float:
        """It never stands still."""
        return at_s

    def waits(self, begin_s: float, end_s: float) -> Counter[int]:
        """Nothing waits for long."""
        return Counter()

    def done(self, at_s: float) -> float:
        """Operations until then, in the load that goes on."""
        burst_until_s = self._begun_s + self._left_s / (self.burst - 1)
        at_burst = self._noise_between(self._begun_s, min(at_s, burst_until_s))
        return self.rate * (self.burst * at_burst + self._noise_between(burst_until_s, at_s))

    def _noise_between(self, begin_s: float, end_s: float) -> float:
        return max(0.0, self._noise_until(end_s) - self._noise_until(begin_s))

    def _noise_until(self, at_s: float) -> float:
        second = int(at_s)
        return self._noise[second] + (at_s - second) * (self._noise[second + 1] - self._noise[second])


@dataclass(frozen=True, kw_only=True)
class Bursts:
    """A cache that takes `high` operations a second for `for_s` s until it is full, and then `low` until it is flushed.

    That takes until `each_s` s are over, and it began `since_s` s ago.
    """

    high: float
    low: float
    for_s: float
    each_s: float
    since_s: float

    def begin(self, at_s: float) -> None:
        """It does so whether or not it is loaded."""

    def end(self, at_s: float) -> None:
        """As for `begin`."""

    def awake(self, at_s: float) -> float:
        """It never stands still."""
        return at_s

    def waits(self, begin_s: float, end_s: float) -> Counter[int]:
        """Nothing waits for long."""
        return Counter()

    def done(self, at_s: float) -> float:
        """Operations until then."""
        whole, within = divmod(at_s + self.since_s, self.each_s)
        full = self.high * self.for_s + self.low * (self.each_s - self.for_s)
        return whole * full + self.high * min(within, self.for_s) + self.low * max(0.0, within - self.for_s)


def steady(*, rate: float, seed: int) -> Standstills:
    """Local storage, without credits."""
    return Standstills(rate=rate, still_s=0.01, each_s=1000, noise=0.05, seed=seed)


class ReadyBench(SimulatedBench):
    """All its volumes are there."""

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        return {storage_class: volume(storage_class) for storage_class in storage_classes}


def finding(
    storage: Storage,
    profile: Profile,
    *,
    limits: Sequence[Limit],
    rules: Sequence[Limit] = (),
    local: Storage | None = None,
    longest_s: float = MINUTE_S,
) -> Finding:
    """What a run finds, beside local storage where there is some."""
    bench = ReadyBench({"fast": storage, **({} if local is None else {"local": local})})
    runner = SpeedRunner(
        bench,
        baseline_class=None if local is None else "local",
        node=None,
        tier=tier_with(*limits, *rules),
        report=lambda _: None,
        preparing=lambda *_: None,
        keep=lambda _: None,
        longest_s=longest_s,
    )
    return runner.finding(profile, storage_class="fast")
