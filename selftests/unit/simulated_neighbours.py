"""A volume beside others that have 64 operations waiting each: one queue for all, or a turn for each. Seeded."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy

from acceptance.judging.neighbours import decide_beside, judge_beside
from acceptance.limits.limit import Limit
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import Recording
from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.trials.neighbours.trial import NoisyNeighbours, neighbours_plan
from selftests.unit.simulated_latencies import sample
from selftests.unit.simulated_shares import DEPTH, PROFILE, recording

OURS = 0


@dataclass(frozen=True, kw_only=True)
class SharedStorage:
    """It does so many operations a second, one at a time, lognormal by a third; its speed differs by `cv` of a second.

    `turns`: who waits is served in turn, however many operations it has waiting; else all wait in one queue.
    """

    iops: float
    turns: bool
    cv: float = 0.05

    def seconds_of(self, rate: int | None, *, seconds: int, neighbours: int, seed: int) -> list[Sample]:
        """What fio shows of a volume that asks for `rate`, or for all that it can get."""
        random, now_s, due_s, flying = numpy.random.default_rng(seed), 0.0, 0.0, 0
        begun: list[deque[float]] = [deque(), *(deque([0.0] * DEPTH) for _ in range(neighbours))]
        queue = deque(index for index in range(1, neighbours + 1) for _ in range(DEPTH))
        done: list[list[float]] = [[] for _ in range(seconds)]
        speeds, turn = self.iops * random.lognormal(0.0, self.cv, size=seconds), 0
        while now_s < seconds:
            while flying < DEPTH and (rate is None or due_s <= now_s):
                begun[OURS].append(now_s if rate is None or flying == DEPTH - 1 else due_s)
                queue.append(OURS)
                flying += 1
                due_s += 1 / rate if rate else 0.0
            if not queue:
                now_s = due_s
                continue
            who = queue[0]
            if self.turns:
                turn += 1
                who = next(index % len(begun) for index in range(turn, turn + len(begun)) if begun[index % len(begun)])
            queue.remove(who)
            second = min(math.floor(now_s), seconds - 1)
            now_s += random.lognormal(0.0, 0.3) / speeds[second]
            since_s = begun[who].popleft()
            if who == OURS:
                flying -= 1
                done[min(math.floor(now_s), seconds - 1)].append(now_s - since_s)
            else:
                begun[who].append(now_s)
                queue.append(who)
        return [sample(numpy.array(each)) for each in done]


class Loading:
    """Neighbours that load, whatever they do."""

    seconds: Sequence[int] = (3, 3)

    def rates(self, metric: Metric, *, since: Sequence[int]) -> list[float]:
        assert metric.statistic == "iops"
        return [1.0 for _ in since]


def verdicts(storage: SharedStorage, *limits: Limit, seed: int, longest_s: float = 60) -> list[Verdict]:
    """What a run with two neighbours says of each limit."""
    loading = 0

    def load(
        profile: Profile,
        *,
        plan: AnalysisPlan,
        name: str,
        rate: int | None = None,
        is_decided: Callable[[Any], bool] = lambda _: False,
    ) -> Recording:
        number = seed * 3 + ("capacity" in name) + 2 * ("beside" in name)
        samples = storage.seconds_of(rate, seconds=plan.cap, neighbours=loading, seed=number)
        look = next((each for each in plan.looks if is_decided([samples[:each]])), plan.cap)
        return recording(samples[:look], profile=profile)

    @contextmanager
    def neighbours(node: str, longest_s: float) -> Iterator[Loading]:
        nonlocal loading
        assert node and longest_s
        loading = 2
        yield Loading()

    record = NoisyNeighbours(
        load,
        PROFILE,
        limits=limits,
        is_decided=lambda at, each, beyond: decide_beside(at, each, beyond=beyond) != "inconclusive",
        neighbours=neighbours,
        count=2,
        plan=neighbours_plan(longest_s),
    ).record(cache=None)
    return [judge_beside(record, limit) for limit in limits]
