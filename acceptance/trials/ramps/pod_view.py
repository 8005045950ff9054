"""The part of a pod that a ramp keeps from its watch: little, because there are thousands of pods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from acceptance.cluster.objects import slim_metadata
from acceptance.cluster.pod_states import (
    at_attach_limit,
    cpu_limit_problem,
    image_problem,
    is_ready,
    main_crashed,
    main_restarts,
    main_running_since,
    no_room,
    volume_of_others,
)
from acceptance.cluster.resources import Object
from acceptance.cluster.stateful_sets import SET_LABEL


@dataclass(frozen=True, kw_only=True, slots=True)
class PodView:
    """A pod as the ramp sees it. `running_for_s`: from creation to running by the cluster's clocks, to the second.
    `no_room`: the message of the scheduler. `faults`: restarts, or 1 if it crashed and was not restarted. `problem`:
    its image is of no use, its CPU is limited, or its volume does not belong to the run."""

    uid: str
    name: str
    set_name: str
    node: str
    is_scheduled: bool
    running: bool
    running_for_s: float | None
    ready: bool
    faults: int
    no_room: str
    attach_limit: bool
    problem: str


def slim_pod(image: str) -> Callable[[Object], Object]:
    """Return the function of a watch that keeps what a view needs of each pod that is to run `image`."""

    def slim(pod: Object) -> Object:
        return {"metadata": slim_metadata(pod), "view": view(pod, image=image)}

    return slim


def view(pod: Object, *, image: str) -> PodView:
    """Return the pod as the ramp sees it."""
    metadata, since = pod["metadata"], main_running_since(pod)
    problem = cpu_limit_problem(pod) or (None if since else image_problem(image, pod) or volume_of_others(pod))
    return PodView(
        uid=metadata["uid"],
        name=metadata["name"],
        set_name=(metadata.get("labels") or {}).get(SET_LABEL, ""),
        node=pod["spec"].get("nodeName") or "",
        is_scheduled=bool(pod["spec"].get("nodeName")),
        running=since is not None,
        running_for_s=_seconds(metadata["creationTimestamp"], since) if since else None,
        ready=is_ready(pod),
        faults=main_restarts(pod) or int(main_crashed(pod) and not metadata.get("deletionTimestamp")),
        no_room=no_room(pod),
        attach_limit=at_attach_limit(pod),
        problem="" if problem is None else str(problem),
    )


def _seconds(start: str, end: str) -> float:
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
