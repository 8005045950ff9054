"""How long operations of a volume take at a share of what it can do, alone and beside others that load at full."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment, Recording, runtime_s
from acceptance.results.metrics import Metric
from acceptance.results.neighbours import NeighbourRecord, NeighboursRecord
from acceptance.results.under_load import ShareRecord
from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan, Look, going_on, unjudged_plan
from acceptance.trials.speed.records import small_file_warnings
from acceptance.trials.speed.under_load import (
    capacity_of,
    latencies_of,
    limited_form,
    rate_of,
    share_record,
    stall_warnings,
)

LOOKS = AnalysisPlan(seconds=(20, MINUTE_S), beyond=(3.0,))
"""at a share; soon only what is far off is decided: neighbours may have a burst to spend, or caches to fill"""
WRONG = 0.005
"""the chance that an end of an interval is wrong: of a growth, which two of them make, that is 1 %, as of all limits"""
CAPACITY_S = 20
"""of full load alone: a share of what it did on average then is asked for, and nobody judges that average"""
BETWEEN_S = 60.0
"""from one load to the next, where pods come slowly: neighbours load meanwhile"""


class Beside(Protocol):
    """Neighbours while they load: see `loaded.Neighbours`."""

    @property
    def seconds(self) -> list[int]: ...

    def rates(self, metric: Metric, *, since: Sequence[int]) -> list[float]: ...


def neighbours_plan(longest_s: float) -> AnalysisPlan:
    """The looks at each share, alone and beside neighbours."""
    return replace(going_on(LOOKS, longest_s=longest_s, turn_s=0), wrong_pass=WRONG)


def capacity_plan() -> AnalysisPlan:
    """The one look at what a volume can do."""
    return unjudged_plan(CAPACITY_S, in_turn=False)


def shares_asked(limits: Sequence[Limit]) -> list[float]:
    """All that are measured, the lowest first."""
    return sorted({limit.at["of_capacity"] for limit in limits})


def neighbours_s(profile: Profile, plan: AnalysisPlan, *, shares: int) -> float:
    """How long neighbours load at the most."""
    return shares * (profile.ramp_s + runtime_s(profile, plan.cap) + BETWEEN_S)


class NoisyNeighbours:
    """The loads of one profile on one volume: all that it can do, shares of it alone, then beside neighbours.

    `load` runs one of them: see `SpeedRunner.whole_load`. `neighbours` has so many volumes loaded on the node, for so
    many s at the most, as long as its block. `decided` tells of a share whether a limit on it is decided, with
    the factor by which the latency must lie beyond it.
    """

    def __init__(
        self,
        load: Callable[..., Recording],
        profile: Profile,
        *,
        limits: Sequence[Limit],
        decided: Callable[[NeighbourRecord, Limit, float], bool],
        neighbours: Callable[[str, float], AbstractContextManager[Beside]],
        count: int,
        plan: AnalysisPlan,
    ) -> None:
        self._load = load
        self._profile = profile
        self._limits = limits
        self._decided = decided
        self._neighbours = neighbours
        self._count = count
        self._plan = plan
        self._rate = rate_of(profile, limits)
        self._metrics = latencies_of(self._rate, limits)

    def record(self, *, cache: int | None) -> NeighboursRecord:
        """Load it. `cache`: bytes that the storage's own cache holds, as known. Raises what the loads raise."""
        plan = capacity_plan()
        capacity = self._load(self._profile, plan=plan, name="neighbours-capacity")
        samples = capacity.samples
        can = capacity_of(samples, rate=self._rate, plan=plan)
        did = 0.0 if can is None else can.mean
        shares = [each for each in shares_asked(self._limits) if each * did >= 1]
        return NeighboursRecord(
            profile=self._profile.name,
            storage_class=capacity.storage_class,
            node=capacity.volume.node,
            count=self._count,
            metric=self._rate.path,
            capacity=can,
            confidence=plan.at(loaded_s(samples)).confidence,
            shares=self._at_shares(shares, did=did, node=capacity.volume.node) if shares else [],
            test_size=capacity.volume.test_size,
            cache=cache,
            warnings=[*small_file_warnings(capacity), *stall_warnings(samples)],
        )

    def _at_shares(self, shares: Sequence[float], *, did: float, node: str) -> list[NeighbourRecord]:
        alone = [self._at(share, did=did, name="alone", decided=self._is_known) for share in shares]
        with self._neighbours(node, neighbours_s(self._profile, self._plan, shares=len(shares))) as neighbours:
            return [self._beside(each, did=did, neighbours=neighbours) for each in alone]

    def _beside(self, alone: ShareRecord, *, did: float, neighbours: Beside) -> NeighbourRecord:
        limits = [limit for limit in self._limits if limit.at["of_capacity"] == alone.share]
        before = neighbours.seconds

        def seen(at: ShareRecord) -> NeighbourRecord:
            rates = neighbours.rates(self._rate, since=before)
            return NeighbourRecord(alone=alone, beside=at, neighbours=rates)

        return seen(
            self._at(
                alone.share,
                did=did,
                name="beside",
                decided=lambda at, look: all(self._decided(seen(at), limit, look.beyond) for limit in limits),
            )
        )

    def _at(self, share: float, *, did: float, name: str, decided: Callable[[ShareRecord, Look], bool]) -> ShareRecord:
        asked, plan = math.floor(share * did), self._plan

        def seen(samples: BySegment) -> ShareRecord:
            return share_record(samples, share=share, asked=asked, rate=self._rate, metrics=self._metrics, plan=plan)

        recording = self._load(
            limited_form(self._profile, self._limits),
            plan=plan,
            name=f"neighbours-{name}-at-{share * 100:g}-percent",
            rate=asked,
            decided=lambda samples: decided(seen(samples), plan.at(loaded_s(samples))),
        )
        return seen(recording.samples)

    def _is_known(self, at: ShareRecord, _: Look) -> bool:
        """Whether all latencies beside neighbours that are held against one alone can be."""
        grown = (limit.metric.path for limit in self._limits if limit.rule == "growth_beside_neighbours")
        found = [at.latencies.get(each) for each in grown]
        return all(each is not None and each.low is not None and each.high is not None for each in found)
