"""Follows all objects of a ramp by watches, and keeps timeline and stop conditions up to date. It requests nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from acceptance.cluster.attachments import slim_attachment
from acceptance.cluster.nodes import is_up
from acceptance.cluster.objects import slim_metadata
from acceptance.cluster.ownership import slim_volume, why_foreign
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, EVENTS, NODES, PODS, VOLUMES, Object, Resource
from acceptance.cluster.stateful_sets import SET_LABEL
from acceptance.cluster.watching import Change, Watch
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.ramps.conditions import StopConditions
from acceptance.trials.ramps.pod_view import PodView, slim_pod
from acceptance.trials.ramps.timeline import PodRecord, Timeline
from acceptance.trials.ramps.volumes_seen import VolumesSeen

# Others may soon release a node: only a pod that has had no room for this long has none.
NO_ROOM_FOR_S = 15.0
_QUOTA = "exceeded quota"


class Observer:
    """The watches of a ramp, in a `with` block. `condition` guards all that is known here and is notified of news.

    `sets`: names of the ramp's StatefulSets; `nodes`: those that it uses. `deleted_names` holds the names of deleted
    pods until the caller removes them; `refusal` is the reason why the last pod was not created.
    """

    def __init__(
        self, workspace: Workspace, conditions: StopConditions, *, sets: Sequence[str], nodes: Sequence[str]
    ) -> None:
        self.condition = threading.Condition()
        self.conditions = conditions
        self.timeline = Timeline()
        self.volumes = VolumesSeen(namespace=workspace.namespace, sets=sets)
        self.deleted_names: list[str] = []
        self.refusal = ""
        self._workspace = workspace
        self._sets = frozenset(sets)
        self._nodes = frozenset(nodes)
        self._without_room: dict[str, PodRecord] = {}
        self._problem: AcceptanceError | None = None
        self._watches: list[Watch] = []
        self._undo = Undoing()
        self._origin_s = time.monotonic()

    def now_s(self) -> float:
        """Return the seconds since this observer was created, by the clock of all times here."""
        return time.monotonic() - self._origin_s

    def __enter__(self) -> Self:
        """Start the watches. Raises ApiError, ApiUnreachable."""
        namespace = self._workspace.namespace
        with self._undo as undoing:
            self._watch(NODES, self._take_node, slim=slim_node)
            self._watch(ATTACHMENTS, self._take_attachment, slim=slim_attachment)
            self.volumes.only_old_ones_so_far = False
            self._watch(VOLUMES, self._take_volume, slim=slim_volume)
            self._watch(CLAIMS, self._take_claim, namespace=namespace, slim=slim_claim)
            fields = "involvedObject.kind=StatefulSet"
            self._watch(EVENTS, self._take_event, namespace=namespace, fields=fields)
            pods = slim_pod(self._workspace.image)
            self._watch(PODS, self._take_pod, namespace=namespace, labels=SET_LABEL, slim=pods)
            self._undo = undoing.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.__exit__(kind, error, trace)

    def raise_problem(self) -> None:
        """Raise what keeps the ramp from a result: an image, a foreign volume, a watch that ended."""
        watch_error = next((watch.error for watch in self._watches if watch.error is not None), None)
        if watch_error is not None:
            raise EnvironmentFailure(f"the ramp can no longer be watched: {watch_error}")
        if self._problem is not None:
            raise self._problem

    @property
    def is_behind(self) -> bool:
        """True if a change may not have been reported yet, because a connection is broken or was just restored."""
        return any(watch.is_behind for watch in self._watches)

    def notice_full_nodes(self) -> None:
        """Have no more pods requested if one has had no room on any node for long enough."""
        now_s = self.now_s()
        for record in self._without_room.values():
            if record.full_since_s is not None and now_s - record.full_since_s >= NO_ROOM_FOR_S:
                reason = f"pod number {record.number} has no room on any node: {record.no_room}"
                self.conditions.hold("attach_limit" if record.attach_limit else "nodes_full", reason)

    @property
    def remaining(self) -> int:
        """The number of objects of the ramp that still exist."""
        return len(self.timeline.live) + self.volumes.remaining

    @property
    def remaining_names(self) -> list[str]:
        """The pods, claims, volumes and attachments that still exist, by name."""
        return [f"pod {name}" for name in sorted(self.timeline.live)] + self.volumes.remaining_names

    def _watch(
        self, resource: Resource, take: Callable[[Change], None], *, namespace: str | None = None, **selection: Any
    ) -> None:
        def on_change(change: Change) -> None:
            with self.condition:
                take(change)
                self.condition.notify_all()

        watch = Watch(self._workspace.api, resource, namespace=namespace, on_change=on_change, **selection)
        self._watches.append(self._undo.enter(watch))

    def _take_pod(self, change: Change) -> None:
        pod: PodView = change.item["view"]
        if pod.set_name not in self._sets:
            return
        now_s = self.now_s()
        if change.kind == "deleted":
            self.timeline.pod_gone(pod.uid)
            self.conditions.note_stop(pod.uid)
            self.conditions.set_aside(pod.uid)
            self._without_room.pop(pod.uid, None)
            self.deleted_names.append(pod.name)
            return
        record = self.timeline.take_pod(pod, now_s, late=change.late)
        self.conditions.note_creation(pod.uid, record.created_s)
        self.conditions.fault(pod.uid, pod.faults)
        if pod.running:
            self.conditions.runs(pod.uid, now_s, took_s=record.took_s)
        else:
            self.conditions.note_stop(pod.uid)
        if pod.no_room:
            self._without_room[pod.uid] = record
            self.conditions.set_aside(pod.uid)
        elif self._without_room.pop(pod.uid, None) is not None:
            self.conditions.take_back(pod.uid)
        if pod.problem:
            self._problem = self._problem or EnvironmentFailure(pod.problem)

    def _take_claim(self, change: Change) -> None:
        state = change.item
        if not self.volumes.is_ours(change.name):
            return
        if change.kind == "deleted":
            self.volumes.claim_gone(change.name)
            return
        self.volumes.claim_seen(change.name)
        volume = state["volume"]
        claim = self.timeline.take_claim(
            change.name, created_at=state["created"], volume=volume, now_s=self.now_s(), late=change.late
        )
        self._look_for_foreign(change.name, volume, claim.created_at)

    def _take_volume(self, change: Change) -> None:
        claim = self.volumes.take(change)
        if claim is not None and claim in self.timeline.claims:
            self._look_for_foreign(claim, change.name, self.timeline.claims[claim].created_at)

    def _look_for_foreign(self, claim: str, volume: str, created_at: str) -> None:
        volume_object = self.volumes.by_name.get(volume)
        why = None if volume_object is None else why_foreign(volume_object, claim_time=created_at)
        if why is not None:
            self._problem = self._problem or EnvironmentFailure(
                f"PVC {claim} was bound to PV {volume}, which was not provisioned for it: {why}. The suite leaves "
                "the PV alone, ends the ramp and gives no verdict, because the PV does not belong to this run"
            )

    def _take_attachment(self, change: Change) -> None:
        volume = change.item["spec"]["source"]["persistentVolumeName"]
        self.volumes.take_attachment(volume, is_deleted=change.kind == "deleted")
        if change.kind != "deleted" and change.item["status"]["attached"]:
            self.timeline.take_attachment(volume, self.now_s(), late=change.late)

    def _take_node(self, change: Change) -> None:
        if change.name in self._nodes and (change.kind == "deleted" or not change.item["up"]):
            became = "was deleted" if change.kind == "deleted" else "is no longer ready or takes no more pods"
            self.conditions.end("node_lost", f"node {change.name} {became}")

    def _take_event(self, change: Change) -> None:
        event = change.item
        if event.get("reason") != "FailedCreate" or event["involvedObject"].get("name") not in self._sets:
            return
        self.refusal = str(event.get("message", ""))
        if _QUOTA in self.refusal:
            self.conditions.hold("quota", self.refusal)


def slim_node(node: Object) -> Object:
    """Return whether the node takes pods, as `up`."""
    return {"metadata": slim_metadata(node), "up": is_up(node)}


def slim_claim(claim: Object) -> Object:
    """Return when the claim was created, and the volume that it is bound to; empty while it is not bound."""
    bound = claim["status"].get("phase") == "Bound"
    return {
        "metadata": slim_metadata(claim),
        "created": claim["metadata"]["creationTimestamp"],
        "volume": claim["spec"].get("volumeName", "") if bound else "",
    }
