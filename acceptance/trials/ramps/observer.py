"""Follows all objects of a ramp by watches, and keeps timeline and stop conditions up to date. It asks for nothing."""

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

# Others may let go of a node soon: only a pod that has had no room for so long has none.
NO_ROOM_FOR_S = 15.0
_QUOTA = "exceeded quota"


class Observer:
    """Watches in a `with` block. `changed` guards all that is known here and is notified of news.

    `sets`: names of the ramp's stateful sets; `nodes`: those that it uses. `deleted` holds the names of pods that are
    gone until someone takes them from there; `refusal` is what kept the last pod from being made.
    """

    def __init__(
        self, workspace: Workspace, conditions: StopConditions, *, sets: Sequence[str], nodes: Sequence[str]
    ) -> None:
        self.changed = threading.Condition()
        self.conditions = conditions
        self.timeline = Timeline()
        self.volumes = VolumesSeen(namespace=workspace.namespace, sets=sets)
        self.deleted: list[str] = []
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
        """Seconds since this was made, by the clock of all times here."""
        return time.monotonic() - self._origin_s

    def __enter__(self) -> Self:
        """Raises ApiError, ApiUnreachable."""
        namespace = self._workspace.namespace
        with self._undo as begun:
            self._watch(NODES, self._take_node, slim=slim_node)
            self._watch(ATTACHMENTS, self._take_attachment, slim=slim_attachment)
            self.volumes.only_old_ones_so_far = False
            self._watch(VOLUMES, self._take_volume, slim=slim_volume)
            self._watch(CLAIMS, self._take_claim, namespace=namespace, slim=slim_claim)
            fields = "involvedObject.kind=StatefulSet"
            self._watch(EVENTS, self._take_event, namespace=namespace, fields=fields)
            pods = slim_pod(self._workspace.image)
            self._watch(PODS, self._take_pod, namespace=namespace, labels=SET_LABEL, slim=pods)
            self._undo = begun.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.__exit__(kind, error, trace)

    def raise_problem(self) -> None:
        """Raise what keeps the ramp from saying anything: an image, a foreign volume, a watch that ended."""
        ended = next((watch.error for watch in self._watches if watch.error is not None), None)
        if ended is not None:
            raise EnvironmentFailure(f"the ramp can no longer be watched: {ended}")
        if self._problem is not None:
            raise self._problem

    @property
    def is_behind(self) -> bool:
        """Whether something may have happened that was not told yet, since a connection is or was just broken."""
        return any(watch.is_behind for watch in self._watches)

    def notice_full_nodes(self) -> None:
        """Have no more pods asked for when one has had no room on any node for long enough."""
        now_s = self.now_s()
        for record in self._without_room.values():
            if record.full_since_s is not None and now_s - record.full_since_s >= NO_ROOM_FOR_S:
                said = f"pod number {record.number} has no room on any node: {record.no_room}"
                self.conditions.hold("attach_limit" if record.attach_limit else "nodes_full", said)

    @property
    def remaining(self) -> int:
        """How many of them are still there."""
        return len(self.timeline.live) + self.volumes.remaining

    @property
    def left(self) -> list[str]:
        """What is still there of pods, claims, volumes and attachments, by name."""
        return [f"pod {name}" for name in sorted(self.timeline.live)] + self.volumes.left

    def _watch(
        self, resource: Resource, take: Callable[[Change], None], *, namespace: str | None = None, **selection: Any
    ) -> None:
        def on_change(change: Change) -> None:
            with self.changed:
                take(change)
                self.changed.notify_all()

        watch = Watch(self._workspace.api, resource, namespace=namespace, on_change=on_change, **selection)
        self._watches.append(self._undo.enter(watch))

    def _take_pod(self, change: Change) -> None:
        seen: PodView = change.seen["view"]
        if seen.set_name not in self._sets:
            return
        now_s = self.now_s()
        if change.kind == "deleted":
            self.timeline.pod_gone(seen.uid)
            self.conditions.stopped(seen.uid)
            self.conditions.set_aside(seen.uid)
            self._without_room.pop(seen.uid, None)
            self.deleted.append(seen.name)
            return
        record = self.timeline.take_pod(seen, now_s, late=change.late)
        self.conditions.created(seen.uid, record.created_s)
        self.conditions.fault(seen.uid, seen.faults)
        if seen.running:
            self.conditions.runs(seen.uid, now_s, took_s=record.took_s)
        else:
            self.conditions.stopped(seen.uid)
        if seen.no_room:
            self._without_room[seen.uid] = record
            self.conditions.set_aside(seen.uid)
        elif self._without_room.pop(seen.uid, None) is not None:
            self.conditions.take_back(seen.uid)
        if seen.problem:
            self._problem = self._problem or EnvironmentFailure(seen.problem)

    def _take_claim(self, change: Change) -> None:
        seen = change.seen
        if not self.volumes.is_ours(change.name):
            return
        if change.kind == "deleted":
            self.volumes.claim_gone(change.name)
            return
        self.volumes.claim_seen(change.name)
        volume = seen["volume"]
        claim = self.timeline.take_claim(
            change.name, created=seen["created"], volume=volume, now_s=self.now_s(), late=change.late
        )
        self._look_for_foreign(change.name, volume, claim.created)

    def _take_volume(self, change: Change) -> None:
        claim = self.volumes.take(change)
        if claim is not None and claim in self.timeline.claims:
            self._look_for_foreign(claim, change.name, self.timeline.claims[claim].created)

    def _look_for_foreign(self, claim: str, volume: str, claimed: str) -> None:
        seen = self.volumes.by_name.get(volume)
        why = None if seen is None else why_foreign(seen, claimed=claimed)
        if why is not None:
            self._problem = self._problem or EnvironmentFailure(
                f"PVC {claim} was bound to PV {volume}, which was not provisioned for it: {why}. The suite "
                "leaves it alone, ends the ramp and gives no verdict, since the PV does not belong to this run"
            )

    def _take_attachment(self, change: Change) -> None:
        volume = change.seen["spec"]["source"]["persistentVolumeName"]
        self.volumes.take_attachment(volume, gone=change.kind == "deleted")
        if change.kind != "deleted" and change.seen["status"]["attached"]:
            self.timeline.take_attachment(volume, self.now_s(), late=change.late)

    def _take_node(self, change: Change) -> None:
        if change.name in self._nodes and (change.kind == "deleted" or not change.seen["up"]):
            became = "was deleted" if change.kind == "deleted" else "is no longer ready or takes no more pods"
            self.conditions.end("node_lost", f"node {change.name} {became}")

    def _take_event(self, change: Change) -> None:
        event = change.seen
        if event.get("reason") != "FailedCreate" or event["involvedObject"].get("name") not in self._sets:
            return
        self.refusal = str(event.get("message", ""))
        if _QUOTA in self.refusal:
            self.conditions.hold("quota", self.refusal)


def slim_node(node: Object) -> Object:
    """Whether it takes pods: `up`."""
    return {"metadata": slim_metadata(node), "up": is_up(node)}


def slim_claim(claim: Object) -> Object:
    """When it was made, and the volume that it is bound to, empty while it is not."""
    bound = claim["status"].get("phase") == "Bound"
    return {
        "metadata": slim_metadata(claim),
        "created": claim["metadata"]["creationTimestamp"],
        "volume": claim["spec"].get("volumeName", "") if bound else "",
    }
