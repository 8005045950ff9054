"""Follows all objects of a trial by one watch a kind, and keeps its timeline up to date. It asks for nothing."""

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
    describe_pod,
    image_problem,
    is_ready,
    mounted,
    no_room,
    throttled,
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
from acceptance.trials.operations.timeline import Timeline, Tracked

LOOK_S = 1.0
"""What only time shows is looked at as often."""


class Observer:
    """Watches in a `with` block. `changed` guards the timeline and is notified of news."""

    def __init__(self, workspace: Workspace, *, snapshots: bool) -> None:
        self.changed = threading.Condition()
        self.timeline = Timeline()
        self._workspace = workspace
        self._snapshots = snapshots
        self._volumes: dict[str, Object] = {}
        self._problem: AcceptanceError | None = None
        self._watches: list[Watch] = []
        self._undo = Undoing()
        self._origin_s = time.monotonic()

    def now_s(self) -> float:
        """Seconds since this was made, by the clock of all times here."""
        return time.monotonic() - self._origin_s

    def __enter__(self) -> Self:
        """Raises ApiError, ApiUnreachable."""
        ours = {"namespace": self._workspace.namespace, "labels": f"{RUN_LABEL}={self._workspace.run_id}"}
        with self._undo as begun:
            self._watch(ATTACHMENTS, self._take_attachment, namespace=None, slim=slim_attachment)
            self._watch(VOLUMES, self._take_volume, namespace=None, slim=_slim_volume)
            self._watch(CLAIMS, self._take_claim, slim=_slim_claim, **ours)
            self._watch(PODS, self._take_pod, slim=self._slim_pod, **ours)
            if self._snapshots:
                self._watch(SNAPSHOT_CONTENTS, self._take_content, namespace=None, slim=_slim_content)
                self._watch(VOLUME_SNAPSHOTS, self._take_snapshot, slim=_slim_snapshot, **ours)
            self._undo = begun.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.__exit__(kind, error, trace)

    def wait(self, names: Collection[str], moment: Moment, *, timeout_s: float) -> list[str]:
        """Wait until all of them came so far, or time is over; those that did not.

        Raises EnvironmentFailure where the cluster can no longer be watched, or a volume is not the run's.
        """
        return self._wait(lambda: self.timeline.without(names, moment), timeout_s=timeout_s)

    def wait_pods_gone(self, names: Collection[str], *, timeout_s: float) -> list[str]:
        """The same for pods that were told to end."""
        objects = self.timeline.objects
        return self._wait(lambda: [name for name in names if not objects[name].pod_gone], timeout_s=timeout_s)

    def _wait(self, missing: Callable[[], list[str]], *, timeout_s: float) -> list[str]:
        began_s = self.now_s()
        with self.changed:
            while left := missing():
                self._raise_problem()
                over_s = self.now_s() - began_s - timeout_s
                # What nobody was told of yet must not look as if it had not happened.
                behind = any(watch.is_behind for watch in self._watches)
                if over_s >= 0 and not behind:
                    break
                if over_s >= timeout_s:
                    raise EnvironmentFailure(
                        f"the API server could not be watched for {timeout_s:.0f} s, so what became of "
                        f"{len(left)} objects is not known"
                    )
                self.changed.wait(LOOK_S if behind else min(LOOK_S, -over_s))
            self._raise_problem()
            return left

    def _raise_problem(self) -> None:
        ended = next((watch.error for watch in self._watches if watch.error is not None), None)
        if ended is not None:
            raise EnvironmentFailure(f"the control operations can no longer be watched: {ended}")
        if self._problem is not None:
            raise self._problem

    def _watch(self, resource: Resource, take: Callable[[Change], None], **selection: Any) -> None:
        def on_change(change: Change) -> None:
            with self.changed:
                take(change)
                self.changed.notify_all()

        watch = Watch(self._workspace.api, resource, on_change=on_change, **selection)
        self._watches.append(self._undo.enter(watch))

    def _note(self, name: str, moment: Moment, change: Change) -> None:
        self.timeline.note(name, moment, self.now_s(), late=change.late)

    def _take_claim(self, change: Change) -> None:
        seen, tracked = change.seen, self.timeline.objects.get(change.name)
        if tracked is None or change.kind == "deleted":
            return
        tracked.created, tracked.capacity = seen["created"], seen["capacity"]
        if seen["volume"]:
            self.timeline.is_volume_of(change.name, seen["volume"])
            self._note(change.name, "bound", change)
        self._look_for_foreign(tracked)
        if tracked.grown and seen["capacity"] >= tracked.grown:
            self._note(change.name, "expanded", change)

    def _take_volume(self, change: Change) -> None:
        claim = change.seen["spec"]["claimRef"] or {}
        if claim.get("namespace") != self._workspace.namespace:
            return
        tracked = self.timeline.objects.get(claim.get("name") or "")
        if tracked is None:
            return
        if change.kind == "deleted":
            self._note(tracked.name, "gone", change)
            return
        self.timeline.is_volume_of(tracked.name, change.name)
        tracked.csi = change.seen["csi"]
        tracked.retained = change.seen["spec"]["persistentVolumeReclaimPolicy"] != "Delete"
        self._note(tracked.name, "provisioned", change)
        self._volumes[tracked.name] = change.seen
        self._look_for_foreign(tracked)

    def _look_for_foreign(self, tracked: Tracked) -> None:
        """A claim is asked for without a look at each volume of the cluster: so this looks at the one that came."""
        volume = self._volumes.get(tracked.name)
        why = why_foreign(volume, claimed=tracked.created) if volume and tracked.created else None
        if why is not None:
            self._problem = self._problem or EnvironmentFailure(
                f"PVC {tracked.name} was bound to PV {tracked.volume}, which was not provisioned for it: {why}. The "
                "suite leaves it alone and gives no verdict, since the PV does not belong to this run"
            )

    def _take_attachment(self, change: Change) -> None:
        volume = change.seen["spec"]["source"]["persistentVolumeName"]
        if change.kind == "deleted" or not volume:
            return
        self.timeline.note_attachment(volume, "attaching", self.now_s(), late=change.late)
        if change.seen["status"]["attached"]:
            self.timeline.note_attachment(volume, "attached", self.now_s(), late=change.late)

    def _take_pod(self, change: Change) -> None:
        tracked = self.timeline.objects.get(change.name)
        if tracked is None:
            return
        seen = change.seen
        tracked.pod_gone = change.kind == "deleted"
        tracked.no_room, tracked.trouble = seen["no_room"], seen["state"]
        moments: tuple[Moment, ...] = ("scheduled", "mounted", "ready")
        for moment in moments:
            if seen[moment] and change.kind != "deleted":
                self._note(change.name, moment, change)
        if seen["problem"]:
            self._problem = self._problem or EnvironmentFailure(seen["problem"])

    def _take_snapshot(self, change: Change) -> None:
        tracked = self.timeline.objects.get(change.name)
        if tracked is None:
            return
        tracked.trouble = change.seen["error"]
        tracked.volume = change.seen["content"] or tracked.volume
        tracked.capacity = change.seen["size"]
        if change.kind == "deleted":
            tracked.pod_gone = True
            if not tracked.volume:
                self._note(change.name, "gone", change)
        elif change.seen["ready"]:
            self._note(change.name, "ready", change)

    def _take_content(self, change: Change) -> None:
        if change.seen["namespace"] != self._workspace.namespace:
            return
        tracked = self.timeline.objects.get(change.seen["snapshot"])
        if tracked is None:
            return
        tracked.volume = change.name
        tracked.retained = change.seen["retained"]
        self._note(tracked.name, "gone" if change.kind == "deleted" else "provisioned", change)

    def _slim_pod(self, pod: Object) -> Object:
        problem = throttled(pod) or image_problem(self._workspace.image, pod) or volume_of_others(pod)
        return {
            "metadata": slim_metadata(pod),
            "scheduled": bool(pod["spec"].get("nodeName")),
            "mounted": mounted(pod),
            "ready": is_ready(pod),
            "no_room": "" if at_attach_limit(pod) else no_room(pod),
            "state": describe_pod(pod),
            "problem": "" if problem is None else str(problem),
        }


def _slim_volume(volume: Object) -> Object:
    return slim_volume(volume) | {"csi": "csi" in volume["spec"]}


def _slim_claim(claim: Object) -> Object:
    """When it was made, the volume that it is bound to, and its bytes; empty and 0 before."""
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
