"""Follows all objects of a trial by one watch for each kind, and keeps its timeline up to date. It requests nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Any, Self

from acceptance.cluster.attachments import slim_attachment
from acceptance.cluster.objects import RUN_LABEL, slim_metadata
from acceptance.cluster.ownership import slim_volume, why_foreign
from acceptance.cluster.pod_states import (
    at_attach_limit,
    cpu_limit_problem,
    describe_pod,
    has_mounted_volumes,
    image_problem,
    is_ready,
    no_room,
    volume_of_others,
)
from acceptance.cluster.resources import (
    ATTACHMENTS,
    CLAIMS,
    PODS,
    SNAPSHOT_CONTENTS,
    VOLUME_SNAPSHOTS,
    VOLUMES,
    Object,
    Resource,
)
from acceptance.cluster.watching import Change, Watch
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.operations import Moment
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.text.quantities import parse_size
from acceptance.trials.operations.timeline import Timeline, TrackedObject

LOOK_S = 1.0
"""Seconds between polls of what only time shows."""


class Observer:
    """The watches of a trial, in a `with` block. `condition` guards the timeline and is notified of news."""

    def __init__(self, workspace: Workspace, *, snapshots: bool) -> None:
        self.condition = threading.Condition()
        self.timeline = Timeline()
        self._workspace = workspace
        self._snapshots = snapshots
        self._volumes: dict[str, Object] = {}
        self._problem: AcceptanceError | None = None
        self._watches: list[Watch] = []
        self._undo = Undoing()
        self._origin_s = time.monotonic()

    def now_s(self) -> float:
        """Return the seconds since this observer was created, by the clock of all times here."""
        return time.monotonic() - self._origin_s

    def __enter__(self) -> Self:
        """Start the watches. Raises ApiError, ApiUnreachable."""
        own_objects = {"namespace": self._workspace.namespace, "labels": f"{RUN_LABEL}={self._workspace.run_id}"}
        with self._undo as undoing:
            self._watch(ATTACHMENTS, self._take_attachment, namespace=None, slim=slim_attachment)
            self._watch(VOLUMES, self._take_volume, namespace=None, slim=_slim_volume)
            self._watch(CLAIMS, self._take_claim, slim=_slim_claim, **own_objects)
            self._watch(PODS, self._take_pod, slim=self._slim_pod, **own_objects)
            if self._snapshots:
                self._watch(SNAPSHOT_CONTENTS, self._take_content, namespace=None, slim=_slim_content)
                self._watch(VOLUME_SNAPSHOTS, self._take_snapshot, slim=_slim_snapshot, **own_objects)
            self._undo = undoing.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.__exit__(kind, error, trace)

    def wait(self, names: Collection[str], moment: Moment, *, timeout_s: float) -> list[str]:
        """Wait until all of these objects have reached the moment, or time is over; return those that have not.

        Raises EnvironmentFailure if the cluster can no longer be watched, or a volume does not belong to the run.
        """
        return self._wait(lambda: self.timeline.without(names, moment), timeout_s=timeout_s)

    def wait_pods_gone(self, names: Collection[str], *, timeout_s: float) -> list[str]:
        """Wait until the pods, which were asked to end, are deleted, or time is over; return those that are not."""
        objects = self.timeline.objects
        return self._wait(lambda: [name for name in names if not objects[name].pod_gone], timeout_s=timeout_s)

    def _wait(self, missing: Callable[[], list[str]], *, timeout_s: float) -> list[str]:
        began_s = self.now_s()
        with self.condition:
            while late_names := missing():
                self._raise_problem()
                over_s = self.now_s() - began_s - timeout_s
                # A change that no watch has reported yet must not look as if it had not happened.
                behind = any(watch.is_behind for watch in self._watches)
                if over_s >= 0 and not behind:
                    break
                if over_s >= timeout_s:
                    raise EnvironmentFailure(
                        f"the API server could not be watched for {timeout_s:.0f} s, so the state of "
                        f"{len(late_names)} objects is unknown"
                    )
                self.condition.wait(LOOK_S if behind else min(LOOK_S, -over_s))
            self._raise_problem()
            return late_names

    def _raise_problem(self) -> None:
        watch_error = next((watch.error for watch in self._watches if watch.error is not None), None)
        if watch_error is not None:
            raise EnvironmentFailure(f"the control operations can no longer be watched: {watch_error}")
        if self._problem is not None:
            raise self._problem

    def _watch(self, resource: Resource, take: Callable[[Change], None], **selection: Any) -> None:
        def on_change(change: Change) -> None:
            with self.condition:
                take(change)
                self.condition.notify_all()

        watch = Watch(self._workspace.api, resource, on_change=on_change, **selection)
        self._watches.append(self._undo.enter(watch))

    def _note(self, name: str, moment: Moment, change: Change) -> None:
        self.timeline.note(name, moment, self.now_s(), late=change.late)

    def _take_claim(self, change: Change) -> None:
        state, obj = change.item, self.timeline.objects.get(change.name)
        if obj is None or change.kind == "deleted":
            return
        obj.created_at, obj.capacity = state["created"], state["capacity"]
        if state["volume"]:
            self.timeline.is_volume_of(change.name, state["volume"])
            self._note(change.name, "bound", change)
        self._look_for_foreign(obj)
        if obj.requested_size and state["capacity"] >= obj.requested_size:
            self._note(change.name, "expanded", change)

    def _take_volume(self, change: Change) -> None:
        claim = change.item["spec"]["claimRef"] or {}
        if claim.get("namespace") != self._workspace.namespace:
            return
        obj = self.timeline.objects.get(claim.get("name") or "")
        if obj is None:
            return
        if change.kind == "deleted":
            self._note(obj.name, "gone", change)
            return
        self.timeline.is_volume_of(obj.name, change.name)
        obj.csi = change.item["csi"]
        obj.is_retained = change.item["spec"]["persistentVolumeReclaimPolicy"] != "Delete"
        self._note(obj.name, "provisioned", change)
        self._volumes[obj.name] = change.item
        self._look_for_foreign(obj)

    def _look_for_foreign(self, obj: TrackedObject) -> None:
        """Check the volume that a claim got: claims are requested without a look at each volume of the cluster."""
        volume = self._volumes.get(obj.name)
        why = why_foreign(volume, claim_time=obj.created_at) if volume and obj.created_at else None
        if why is not None:
            self._problem = self._problem or EnvironmentFailure(
                f"PVC {obj.name} was bound to PV {obj.volume}, which was not provisioned for it: {why}. The "
                "suite leaves the PV alone and gives no verdict, because the PV does not belong to this run"
            )

    def _take_attachment(self, change: Change) -> None:
        volume = change.item["spec"]["source"]["persistentVolumeName"]
        if change.kind == "deleted" or not volume:
            return
        self.timeline.note_attachment(volume, "attaching", self.now_s(), late=change.late)
        if change.item["status"]["attached"]:
            self.timeline.note_attachment(volume, "attached", self.now_s(), late=change.late)

    def _take_pod(self, change: Change) -> None:
        obj = self.timeline.objects.get(change.name)
        if obj is None:
            return
        state = change.item
        obj.pod_gone = change.kind == "deleted"
        obj.no_room, obj.trouble = state["no_room"], state["state"]
        moments: tuple[Moment, ...] = ("scheduled", "mounted", "ready")
        for moment in moments:
            if state[moment] and change.kind != "deleted":
                self._note(change.name, moment, change)
        if state["problem"]:
            self._problem = self._problem or EnvironmentFailure(state["problem"])

    def _take_snapshot(self, change: Change) -> None:
        obj = self.timeline.objects.get(change.name)
        if obj is None:
            return
        obj.trouble = change.item["error"]
        obj.volume = change.item["content"] or obj.volume
        obj.capacity = change.item["size"]
        if change.kind == "deleted":
            obj.pod_gone = True
            if not obj.volume:
                self._note(change.name, "gone", change)
        elif change.item["ready"]:
            self._note(change.name, "ready", change)

    def _take_content(self, change: Change) -> None:
        if change.item["namespace"] != self._workspace.namespace:
            return
        obj = self.timeline.objects.get(change.item["snapshot"])
        if obj is None:
            return
        obj.volume = change.name
        obj.is_retained = change.item["retained"]
        self._note(obj.name, "gone" if change.kind == "deleted" else "provisioned", change)

    def _slim_pod(self, pod: Object) -> Object:
        problem = cpu_limit_problem(pod) or image_problem(self._workspace.image, pod) or volume_of_others(pod)
        return {
            "metadata": slim_metadata(pod),
            "scheduled": bool(pod["spec"].get("nodeName")),
            "mounted": has_mounted_volumes(pod),
            "ready": is_ready(pod),
            "no_room": "" if at_attach_limit(pod) else no_room(pod),
            "state": describe_pod(pod),
            "problem": "" if problem is None else str(problem),
        }


def _slim_volume(volume: Object) -> Object:
    return slim_volume(volume) | {"csi": "csi" in volume["spec"]}


def _slim_claim(claim: Object) -> Object:
    """Return when the claim was created, the volume that it is bound to, and its bytes; empty and 0 before."""
    bound = claim["status"].get("phase") == "Bound"
    capacity = (claim["status"].get("capacity") or {}).get("storage")
    return {
        "metadata": slim_metadata(claim),
        "created": claim["metadata"]["creationTimestamp"],
        "volume": claim["spec"].get("volumeName", "") if bound else "",
        "capacity": parse_size(capacity) if capacity else 0,
    }


def _slim_snapshot(snapshot: Object) -> Object:
    status = snapshot.get("status") or {}
    return {
        "metadata": slim_metadata(snapshot),
        "ready": bool(status.get("readyToUse")),
        "content": status.get("boundVolumeSnapshotContentName") or "",
        "size": parse_size(status["restoreSize"]) if status.get("restoreSize") not in (None, "0", 0) else 0,
        "error": (status.get("error") or {}).get("message") or "",
    }


def _slim_content(content: Object) -> Object:
    of = content["spec"].get("volumeSnapshotRef") or {}
    return {
        "metadata": slim_metadata(content),
        "namespace": of.get("namespace") or "",
        "snapshot": of.get("name") or "",
        "retained": content["spec"].get("deletionPolicy") != "Delete",
    }
