"""A cluster in memory that does at once what it is asked for: volumes, pods, snapshots come and go, and are told of.

Its watches tell of each change while it is made. What it is told to refuse never comes.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Self

from acceptance.cluster.api import whole
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.resources import (
    ATTACHMENTS,
    CLAIMS,
    EVENTS,
    NODES,
    PODS,
    SNAPSHOT_CLASSES,
    SNAPSHOT_CONTENTS,
    STORAGE_CLASSES,
    VOLUME_SNAPSHOTS,
    VOLUMES,
    Object,
    Resource,
)
from acceptance.cluster.watching import Change, Kind
from acceptance.results.clusters import StorageClass

MADE = "2026-11-24T00:00:00Z"
RUN = "20261124-000000-0123456789abcdef"


class PlayedCluster:
    """Stands for `Api`. `never`: what does not happen, as `bound`, `ready`, `gone`, to names that hold the text.

    `csi`: volumes are of a CSI driver, which attaches them. `foreign`: volumes that were there before are given.
    """

    def __init__(self, *, never: dict[str, str] | None = None, csi: bool = True, foreign: bool = False) -> None:
        self.request_counts: Counter[str] = Counter()
        self.never = never or {}
        self.asked: list[str] = []
        self.commands: list[list[str]] = []
        self.labelled: set[str] = set()
        self.csi = csi
        self.foreign = foreign
        self._objects: dict[tuple[str, str], Object] = {}
        self._watches: list[PlayedWatch] = []
        self._lock = threading.RLock()
        self._version = 0

    def watched(self, api: object, resource: Resource, **selection: Any) -> PlayedWatch:
        """In place of `Watch`."""
        return PlayedWatch(self, resource, **selection)

    def begin(self, watch: PlayedWatch) -> None:
        self._watches.append(watch)

    def group_versions(self, group: str) -> list[str]:
        return ["v1"]

    def rows(self, columns: Any) -> Any:
        return iter(())

    def list(
        self, resource: Resource, *, namespace: str = "", labels: str = "", fields: str = "", slim: Any = whole
    ) -> Any:
        if resource == NODES:
            status = {
                "conditions": [{"type": "Ready", "status": "True"}],
                "allocatable": {"cpu": "4", "memory": "4Gi", "pods": "110"},
            }
            return [slim({"metadata": {"name": "node-1"}, "spec": {}, "status": status})]
        if resource == SNAPSHOT_CLASSES:
            return [{"metadata": {"name": "snap"}, "driver": "csi.example"}]
        if resource == EVENTS:
            wanted = re.match(r"involvedObject.name=([^,]+)", fields)
            assert wanted
            message = {
                "type": "Warning",
                "reason": "ProvisioningFailed",
                "message": "no replica answers",
                "metadata": {},
            }
            return [message] if any(part in wanted[1] for part in self.never.values()) else []
        return [] if resource in (PODS, STORAGE_CLASSES) else list(self.of(resource))

    def of(self, resource: Resource) -> Any:
        """What there is of a kind."""
        return [each for (kind, _), each in self._objects.items() if kind == resource.plural]

    def get(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object:
        return self._objects[resource.plural, name]

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        return self._objects.get((resource.plural, name))

    def create(self, resource: Resource, body: Object, *, namespace: str | None = None) -> Object:
        name = body["metadata"]["name"]
        self.asked.append(f"create {resource.plural} {name}")
        assert body["metadata"]["labels"][RUN_LABEL] == RUN
        if resource == PODS:
            self.commands.append(body["spec"]["containers"][0]["command"])
        self._put(resource, name, {**body, "status": {}})
        {CLAIMS: self._bind, PODS: self._start, VOLUME_SNAPSHOTS: self._cut}[resource](name)
        return body

    def _bind(self, name: str) -> None:
        if self._never("bound", name):
            return
        claim, volume = self._objects[CLAIMS.plural, name], f"pv-{name}"
        annotations = {"pv.kubernetes.io/provisioned-by": "csi.example"}
        if self.foreign:
            annotations = {"pv.kubernetes.io/bound-by-controller": "yes"}
        spec = {"claimRef": {"namespace": "run", "name": name}, "persistentVolumeReclaimPolicy": "Delete"}
        kind = {"csi": {}} if self.csi else {"local": {}}
        self._put(VOLUMES, volume, {"metadata": {"annotations": annotations}, "spec": spec | kind})
        asked = claim["spec"]["resources"]["requests"]["storage"]
        bound = {"phase": "Bound", "capacity": {"storage": asked}}
        self._put(CLAIMS, name, {**claim, "spec": {**claim["spec"], "volumeName": volume}, "status": bound})

    def _start(self, name: str) -> None:
        volume, pod = f"pv-{name}", self._objects[PODS.plural, name]
        if self.csi:
            of = {"spec": {"source": {"persistentVolumeName": volume}}}
            for attached in (False, True):
                self._put(ATTACHMENTS, f"va-{name}", of | {"metadata": {}, "status": {"attached": attached}})
        said = ["PodScheduled", "PodReadyToStartContainers", *([] if self._never("ready", name) else ["Ready"])]
        conditions = [{"type": each, "status": "True"} for each in said]
        self._put(
            PODS, name, {**pod, "spec": {**pod["spec"], "nodeName": "node-1"}, "status": {"conditions": conditions}}
        )

    def _cut(self, name: str) -> None:
        content, taken = f"content-{name}", self._objects[VOLUME_SNAPSHOTS.plural, name]
        of = {"volumeSnapshotRef": {"namespace": "run", "name": name}, "deletionPolicy": "Retain"}
        self._put(SNAPSHOT_CONTENTS, content, {"metadata": {}, "spec": of})
        status = {"readyToUse": not self._never("taken", name), "boundVolumeSnapshotContentName": content}
        self._put(VOLUME_SNAPSHOTS, name, {**taken, "status": status})

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        self.asked.append(f"patch {resource.plural} {name}")
        found = self._objects[resource.plural, name]
        if resource == CLAIMS and not self._never("expanded", name):
            size = body["spec"]["resources"]["requests"]["storage"]
            self._put(CLAIMS, name, {**found, "status": {"phase": "Bound", "capacity": {"storage": size}}})
        if resource == SNAPSHOT_CONTENTS:
            labels = body.get("metadata", {}).get("labels", {})
            self.labelled |= {name} if labels.get(RUN_LABEL) == RUN else set()
            self._put(resource, name, {**found, "spec": found["spec"] | body.get("spec", {})})
        return found

    def delete(self, resource: Resource, name: str, *, namespace: str, grace_s: int | None = None) -> None:
        self.asked.append(f"delete {resource.plural} {name}")
        self._drop(resource, name)
        if resource == CLAIMS and not self._never("gone", name):
            self._drop(VOLUMES, f"pv-{name}")
        if resource == VOLUME_SNAPSHOTS:
            content = self._objects[SNAPSHOT_CONTENTS.plural, f"content-{name}"]
            if content["spec"]["deletionPolicy"] == "Delete":
                self._drop(SNAPSHOT_CONTENTS, f"content-{name}")

    def _never(self, what: str, name: str) -> bool:
        return what in self.never and self.never[what] in name

    def _put(self, resource: Resource, name: str, body: Object) -> None:
        with self._lock:
            self._version += 1
            known = (resource.plural, name) in self._objects
            named = {"name": name, "uid": name, "resourceVersion": str(self._version), "creationTimestamp": MADE}
            self._objects[resource.plural, name] = found = {**body, "metadata": {**body.get("metadata", {}), **named}}
            self._tell(resource, "modified" if known else "added", found)

    def _drop(self, resource: Resource, name: str) -> None:
        with self._lock:
            found = self._objects.pop((resource.plural, name), None)
            if found is not None:
                self._tell(resource, "deleted", found)

    def _tell(self, resource: Resource, kind: Kind, seen: Object) -> None:
        for watch in self._watches:
            if watch.resource == resource:
                watch.on_change(Change(kind=kind, item=watch.slim(seen)))


class PlayedWatch:
    """Stands for `Watch`."""

    is_behind = False
    error = None

    def __init__(
        self, cluster: PlayedCluster, resource: Resource, *, on_change: Callable[[Change], None], slim: Any, **_: Any
    ) -> None:
        self.resource = resource
        self.on_change = on_change
        self.slim = slim
        self._cluster = cluster

    def __enter__(self) -> Self:
        self._cluster.begin(self)
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def storage_class(**change: Any) -> StorageClass:
    """A class that can do everything."""
    whole = StorageClass(
        name="fast",
        provisioner="csi.example",
        parameters={},
        binding_mode="Immediate",
        reclaim_policy="Delete",
        allow_expansion=True,
        default=False,
    )
    return whole.model_copy(update=change)
