"""What a ramp keeps of a pod as its watch shows it: little, for there are thousands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from acceptance.cluster.objects import slim_metadata
from acceptance.cluster.pod_states import image_problem, main_restarts, main_status, throttled, volume_of_others
from acceptance.cluster.resources import Object
from acceptance.cluster.stateful_sets import SET_LABEL

# The scheduler's words for nodes that hold no more, and for drivers that attach no more to them.
_FULL = ("Insufficient", "Too many pods")
_ATTACH_LIMIT = "exceed max volume count"
_CRASHING = "CrashLoopBackOff"


@dataclass(frozen=True, kw_only=True, slots=True)
class PodView:
    """`running_for_s`: from creation to running by the cluster's clocks, to the second. `no_room`: what the scheduler
    says. `faults`: restarts, or 1 where it crashed and was not started again. `problem`: its image is of no use, its
    CPU is limited, or its volume is not the run's."""

    uid: str
    name: str
    set_name: str
    node: str
    scheduled: bool
    running: bool
    running_for_s: float | None
    ready: bool
    faults: int
    no_room: str
    attach_limit: bool
    problem: str


def slim_pod(image: str) -> Callable[[Object], Object]:
    """For a watch: keeps of each pod that is to run `image` what a view needs."""

    def slim(pod: Object) -> Object:
        return {"metadata": slim_metadata(pod), "view": view(pod, image=image)}

    return slim


def view(pod: Object, *, image: str) -> PodView:
    """The pod as the ramp sees it."""
    status, metadata = pod["status"], pod["metadata"]
    conditions = {each["type"]: each for each in status.get("conditions") or []}
    since = ((main_status(pod).get("state") or {}).get("running") or {}).get("startedAt")
    running = bool(since) and status.get("phase") == "Running"
    said = str(conditions.get("PodScheduled", {}).get("message", "")) if not pod["spec"].get("nodeName") else ""
    attach_limit = _ATTACH_LIMIT in said
    problem = throttled(pod) or (None if running else image_problem(image, pod) or volume_of_others(pod))
    return PodView(
        uid=metadata["uid"],
        name=metadata["name"],
        set_name=(metadata.get("labels") or {}).get(SET_LABEL, ""),
        node=pod["spec"].get("nodeName") or "",
        scheduled=bool(pod["spec"].get("nodeName")),
        running=running,
        running_for_s=_seconds(metadata["creationTimestamp"], str(since)) if running else None,
        ready=conditions.get("Ready", {}).get("status") == "True",
        faults=_faults(pod),
        no_room=said if attach_limit or any(word in said for word in _FULL) else "",
        attach_limit=attach_limit,
        problem="" if problem is None else str(problem),
    )


def _faults(pod: Object) -> int:
    state = main_status(pod).get("state") or {}
    crash_loops = (state.get("waiting") or {}).get("reason") == _CRASHING
    crashed = pod["status"].get("phase") == "Failed" or "terminated" in state or crash_loops
    return main_restarts(pod) or int(crashed and not pod["metadata"].get("deletionTimestamp"))


def _seconds(start: str, end: str) -> float:
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
