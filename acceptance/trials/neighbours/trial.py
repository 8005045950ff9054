"""The latency of a volume at a share of its capacity, alone and next to others that load at full speed."""

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
from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan, going_on, unjudged_plan
from acceptance.statistics.looks import Look
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
"""The interim analyses at a share. Early ones decide only what is far off: neighbors may have a burst to spend, or
caches to fill."""
WRONG = 0.005
"""The chance that an end of an interval is wrong. A growth has two of them, so that its chance is 1 %, as of all
limits."""
CAPACITY_S = 20
"""Seconds of full load alone. A share of its mean rate is requested then, and that mean is not judged."""
BETWEEN_S = 60.0
"""Seconds from one load to the next, if pods start slowly: neighbors load meanwhile."""


class Beside(Protocol):
    """Neighbours while they load: see `loaded.Neighbours`."""

    @property
    def seconds(self) -> list[int]: ...

    def rates(self, metric: Metric, *, since: Sequence[int]) -> list[float]: ...


def neighbours_plan(longest_s: float) -> AnalysisPlan:
    """Return the interim analyses at each share, alone and next to neighbours."""
    return replace(going_on(LOOKS, longest_s=longest_s, turn_s=0), wrong_pass=WRONG)


def capacity_plan() -> AnalysisPlan:
    """Return the single analysis of the capacity of a volume."""
    return unjudged_plan(CAPACITY_S, in_turn=False)


def requested_shares(limits: Sequence[Limit]) -> list[float]:
    """Return all shares that are measured, the lowest first."""
    return sorted({limit.at["of_capacity"] for limit in limits})


def neighbours_s(profile: Profile, plan: AnalysisPlan, *, shares: int) -> float:
    """Return how long neighbours load at the most, in s."""
    return shares * (profile.ramp_s + runtime_s(profile, plan.cap) + BETWEEN_S)


class NoisyNeighbours:
    """The loads of one profile on one volume: at full speed, at shares of that alone, then next to neighbours.

    `load` runs one of them: see `SpeedRunner.whole_load`. `neighbours` loads that number of volumes on the node, for at
    most that many s, during its block. `is_decided` returns for a share whether a limit on it is decided; its last
    argument is the factor by which the latency must lie beyond the limit.
    """

    def __init__(
        self,
        load: Callable[..., Recording],
        profile: Profile,
        *,
        limits: Sequence[Limit],
        is_decided: Callable[[NeighbourRecord, Limit, float], bool],
        neighbours: Callable[[str, float], AbstractContextManager[Beside]],
        count: int,
        plan: AnalysisPlan,
    ) -> None:
        self._load = load
        self._profile = profile
        self._limits = limits
        self._is_decided = is_decided
        self._neighbours = neighbours
        self._count = count
        self._plan = plan
        self._rate = rate_of(profile, limits)
        self._metrics = latencies_of(self._rate, limits)

    def record(self, *, cache: int | None) -> NeighboursRecord:
        """Load the volume. `cache`: bytes of the storage's own cache, as far as known. Raises what the loads raise."""
        plan = capacity_plan()
        capacity = self._load(self._profile, plan=plan, name="neighbours-capacity")
        samples = capacity.samples
        can = capacity_of(samples, rate=self._rate, plan=plan)
        did = 0.0 if can is None else can.mean
        shares = [share for share in requested_shares(self._limits) if share * did >= 1]
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
        alone = [self._at(share, did=did, name="alone", is_over=self._is_known) for share in shares]
        with self._neighbours(node, neighbours_s(self._profile, self._plan, shares=len(shares))) as neighbours:
            return [self._beside(share_alone, did=did, neighbours=neighbours) for share_alone in alone]

    def _beside(self, alone: ShareRecord, *, did: float, neighbours: Beside) -> NeighbourRecord:
        limits = [limit for limit in self._limits if limit.at["of_capacity"] == alone.share]
        before = neighbours.seconds

        def record(at: ShareRecord) -> NeighbourRecord:
            rates = neighbours.rates(self._rate, since=before)
            return NeighbourRecord(alone=alone, beside=at, neighbours=rates)

        return record(
            self._at(
                alone.share,
                did=did,
                name="beside",
                is_over=lambda at, look: all(self._is_decided(record(at), limit, look.beyond) for limit in limits),
            )
        )

    def _at(self, share: float, *, did: float, name: str, is_over: Callable[[ShareRecord, Look], bool]) -> ShareRecord:
        target, plan = math.floor(share * did), self._plan

        def share_so_far(samples: BySegment) -> ShareRecord:
            return share_record(samples, share=share, target=target, rate=self._rate, metrics=self._metrics, plan=plan)

        recording = self._load(
            limited_form(self._profile, self._limits),
            plan=plan,
            name=f"neighbours-{name}-at-{share * 100:g}-percent",
            rate=target,
            is_decided=lambda samples: is_over(share_so_far(samples), plan.at(loaded_s(samples))),
        )
        return share_so_far(recording.samples)

    def _is_known(self, at: ShareRecord, _: Look) -> bool:
        """Return whether all latencies next to neighbours that are judged against those alone are known."""
        metrics = (limit.metric.path for limit in self._limits if limit.rule == "growth_beside_neighbours")
        latencies = [at.latencies.get(metric) for metric in metrics]
        return all(span is not None and span.low is not None and span.high is not None for span in latencies)
