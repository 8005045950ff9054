"""The record of a ramp from what was observed. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from acceptance.cluster.stateful_sets import claim_of
from acceptance.results.ramps import Ended, GrowthPoint, PhaseTimes, StartPoint
from acceptance.statistics.order_statistics import nearest_rank
from acceptance.trials.ramps.growth import linear_until
from acceptance.trials.ramps.ramp_up import RampUp
from acceptance.trials.ramps.timeline import PodRecord, Timeline

# A drawing does not show more points.
MOST_POINTS = 500


def growth(
    asked_s: Sequence[float], running_s: Sequence[float], *, began_s: float, ended_s: float
) -> list[GrowthPoint]:
    """Return the pods that were requested and those that ran, at steady intervals from the first to the end; of
    `running_s`, sorted, all count."""
    points = min(MOST_POINTS, max(1, math.ceil(ended_s - began_s)))
    times = [began_s + (ended_s - began_s) * number / points for number in range(points + 1)]
    return [
        GrowthPoint(
            at_s=round(at_s - began_s, 3), requested=bisect_right(asked_s, at_s), running=bisect_right(running_s, at_s)
        )
        for at_s in times
    ]


def phases(timeline: Timeline) -> dict[str, PhaseTimes]:
    """Return the times from the creation of pods to each phase; only of pods of which nothing was seen late."""
    delays: dict[str, list[float]] = {}
    for pod in timeline.pods.values():
        if not _is_late(timeline, pod):
            for phase, at_s in _times(timeline, pod).items():
                if at_s is not None:
                    delays.setdefault(phase, []).append(max(0.0, at_s - pod.created_s))
    return {
        phase: PhaseTimes(
            pods=len(values),
            p50_s=nearest_rank(values, 0.5),
            p90_s=nearest_rank(values, 0.9),
            p99_s=nearest_rank(values, 0.99),
        )
        for phase, values in delays.items()
    }


def late_pods(timeline: Timeline) -> int:
    """Return the number of pods of which something was seen late."""
    return sum(_is_late(timeline, pod) for pod in timeline.pods.values())


def _volumes(timeline: Timeline) -> int:
    """Return the number of bound volumes. Pods and claims are reported apart: the claim of a running pod is bound,
    whatever was reported."""
    bound = {name for name, claim in timeline.claims.items() if claim.bound_s is not None}
    return len(bound | {claim_of(pod.name) for pod in timeline.running_pods()})


def _times(timeline: Timeline, pod: PodRecord) -> Mapping[str, float | None]:
    claim = timeline.claims.get(claim_of(pod.name))
    return {
        "bound": claim.bound_s if claim else None,
        "scheduled": pod.scheduled_s,
        "attached": timeline.attached_s.get(claim.volume) if claim else None,
        "running": pod.running_s,
        "ready": pod.ready_s,
    }


def _is_late(timeline: Timeline, pod: PodRecord) -> bool:
    claim = timeline.claims.get(claim_of(pod.name))
    return pod.late or (claim is not None and (claim.late or claim.volume in timeline.attached_late))


def ramp_up_fields(timeline: Timeline, ramp_up: RampUp) -> dict[str, Any]:
    """Return the fields of `ControlPlaneRecord` that are about the way up, as of the moment when it ended."""
    started_pods = [pod for pod in timeline.pods.values() if pod.running_s is not None]
    running_s = sorted(pod.running_s for pod in started_pods if pod.running_s is not None)
    nodes = Counter(pod.node for pod in timeline.running_pods())
    return {
        "pods": sum(nodes.values()),
        "volumes": _volumes(timeline),
        "per_node": dict(sorted(nodes.items())),
        "ended": Ended(
            kind=ramp_up.stop.kind,
            reason=ramp_up.stop.reason,
            since_pods=ramp_up.stop.since_pods,
            after_s=round(ramp_up.ended_s - ramp_up.began_s, 3),
        ),
        "linear_until": linear_until(ramp_up.asked_s, running_s),
        "growth": growth(ramp_up.asked_s, running_s, began_s=ramp_up.began_s, ended_s=ramp_up.ended_s),
        "starts": [
            StartPoint(pods=pod.number, took_s=round(pod.took_s, 3)) for pod in started_pods if pod.took_s is not None
        ],
    }
