"""An API server with sets, pods, claims, volumes and attachments that come and go at once, as far as a ramp sees it."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.columns import Columns
from acceptance.cluster.resources import (
    ATTACHMENTS,
    CLAIMS,
    EVENTS,
    JOBS,
    NODES,
    PODS,
    STATEFUL_SETS,
    VOLUMES,
    Resource,
)
from acceptance.cluster.stateful_sets import SET_LABEL, claim_of
from acceptance.cluster.streams import StreamBroken

NOW = "2026-11-21T10:00:00Z"


class Stream:
    """What happens, one event after the other; broken or stopped from outside."""

    def __init__(self, api: SimulatedApi, resource: Resource, version: int) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._api, self._resource = api, resource
        for event in api.history[resource.plural]:
            if int(event["object"]["metadata"]["resourceVersion"]) > version:
                self.events.put(event)

    def documents(self) -> Iterator[dict[str, Any]]:
        while (event := self.events.get()) is not None:
            if isinstance(event, Exception):
                raise event
            yield event

    def stop(self) -> None:
        self.events.put(None)


class SimulatedApi:
    """`refuse`: why the pod of that number is not made, or nothing. `status`: what a new pod's status is like.

    `claims_go_after_s`: how long a claim that was deleted is still there. `torn`: claims that were deleted while their
    pod was there.
    """

    def __init__(self, *, nodes: int = 2) -> None:
        self._lock = threading.RLock()  # of objects, their history and their streams: timers change them, too
        self.request_counts: Counter[str] = Counter()
        self.versions = count(1)
        self.objects: dict[str, dict[str, Any]] = {}
        self.history: dict[str, list[Any]] = {}
        self.streams: dict[str, list[Stream]] = {}
        self.refuse: Callable[[int], str] = lambda number: ""
        self.status: Callable[[int], dict[str, Any]] = lambda number: running()
        self.keeps_volumes = False
        self.cpu_limit: str | None = None
        self.forgets_once = False
        self.claims_go_after_s = 0.0
        self.torn: list[str] = []
        for resource in (ATTACHMENTS, CLAIMS, EVENTS, JOBS, NODES, PODS, STATEFUL_SETS, VOLUMES):
            self.objects[resource.plural] = {}
            self.history[resource.plural] = []
            self.streams[resource.plural] = []
        for number in range(nodes):
            self.put(NODES, f"n{number}", spec={}, status=_node_status())

    # What the suite calls.

    def snapshot(self, resource: Resource, *, slim: Callable[[Any], Any] = dict, **_: object) -> tuple[list[Any], str]:
        self.request_counts[f"LIST {resource.plural}"] += 1
        with self._lock:
            return [slim(each) for each in self.objects[resource.plural].values()], str(next(self.versions))

    def list(self, resource: Resource, **selection: Any) -> list[Any]:
        return self.snapshot(resource, **selection)[0]

    def rows(self, columns: Columns[Any]) -> Iterator[Any]:
        return map(columns.of, self.list(columns.resource))

    def watch(self, resource: Resource, *, version: str, **_: object) -> Stream:
        self.request_counts[f"WATCH {resource.plural}"] += 1
        if self.forgets_once and self.streams[resource.plural]:
            self.forgets_once = False
            raise ApiError(status=410, request="WATCH", message="too old resource version")
        with self._lock:
            stream = Stream(self, resource, int(version))
            self.streams[resource.plural].append(stream)
        return stream

    def lines(self, path: str) -> Iterator[str]:
        raise ApiError(status=403, request=f"GET {path}", message="forbidden")

    def create(self, resource: Resource, body: Any, **_: object) -> Any:
        self.request_counts[f"POST {resource.plural}"] += 1
        self.put(resource, body["metadata"]["name"], spec=body["spec"], status={})
        return self.objects[resource.plural][body["metadata"]["name"]]

    def patch(self, resource: Resource, name: str, body: Any, **_: object) -> None:
        self.request_counts[f"PATCH {resource.plural}"] += 1
        found = self.objects[resource.plural][name]
        before, now = found["spec"]["replicas"], body["spec"]["replicas"]
        found["spec"]["replicas"] = now
        for ordinal in range(before, now):
            self.make_pod(name, ordinal)
        for ordinal in range(now, before):
            self.remove(PODS, f"{name}-{ordinal}")

    def delete(self, resource: Resource, name: str, **_: object) -> None:
        self.request_counts[f"DELETE {resource.plural}"] += 1
        if resource is not CLAIMS:
            self.remove(resource, name)
            return
        if any(claim_of(pod) == name for pod in self.objects["pods"]):
            self.torn.append(name)
        threading.Timer(self.claims_go_after_s, self.let_go, args=(name,)).start()

    def let_go(self, claim: str) -> None:
        self.remove(CLAIMS, claim)
        self.remove(ATTACHMENTS, f"attachment-{claim}")
        if not self.keeps_volumes:
            self.remove(VOLUMES, f"pv-{claim}")

    # What happens in the cluster.

    def make_pod(self, set_name: str, ordinal: int) -> None:
        claim = claim_of(f"{set_name}-{ordinal}")
        if claim not in self.objects["persistentvolumeclaims"]:
            claim_ref = {"namespace": "ns", "name": claim}
            policy = {"claimRef": claim_ref, "persistentVolumeReclaimPolicy": "Delete"}
            self.put(VOLUMES, f"pv-{claim}", spec=policy, status={"phase": "Bound"})
            self.put(CLAIMS, claim, spec={"volumeName": f"pv-{claim}"}, status={"phase": "Bound"})
        if refusal := self.refuse(ordinal):
            event = {"reason": "FailedCreate", "message": refusal, "involvedObject": {"name": set_name}}
            self.put(EVENTS, f"event-{ordinal}", **event)
            return
        status = self.status(ordinal)
        spec = {"nodeName": f"n{ordinal % 2}"} if status.get("phase") == "Running" else {}
        if spec:
            source = {"source": {"persistentVolumeName": f"pv-{claim}"}}
            self.put(ATTACHMENTS, f"attachment-{claim}", spec=source, status={"attached": True})
        container = {"name": "load", "resources": {"limits": {"cpu": self.cpu_limit}}}
        spec |= {"containers": [container]}
        self.put(PODS, f"{set_name}-{ordinal}", spec=spec, status=status, labels={SET_LABEL: set_name})

    def put(self, resource: Resource, name: str, *, labels: Any = None, **fields: Any) -> None:
        with self._lock:
            known = self.objects[resource.plural].get(name)
            metadata = {
                "name": name,
                "uid": known["metadata"]["uid"] if known else f"{name}-{next(self.versions)}",
                "resourceVersion": str(next(self.versions)),
                "creationTimestamp": NOW,
                "labels": labels or {},
            }
            if resource is VOLUMES:
                metadata["annotations"] = {"pv.kubernetes.io/provisioned-by": "example.com/driver"}
            item = {"metadata": metadata, **fields}
            self.objects[resource.plural][name] = item
            self._tell(resource, {"type": "MODIFIED" if known else "ADDED", "object": item})

    def remove(self, resource: Resource, name: str) -> None:
        with self._lock:
            item = self.objects[resource.plural].pop(name, None)
            if item is not None:
                metadata = item["metadata"] | {"resourceVersion": str(next(self.versions))}
                self._tell(resource, {"type": "DELETED", "object": item | {"metadata": metadata}})

    def _tell(self, resource: Resource, event: Any) -> None:
        self.history[resource.plural].append(event)
        for stream in self.streams[resource.plural][-1:]:
            stream.events.put(event)

    def break_watches(self) -> None:
        for streams in self.streams.values():
            if streams:
                streams[-1].events.put(StreamBroken("reset"))


def running(*, restarts: int = 0) -> dict[str, Any]:
    """The status of a pod that runs."""
    state = {"running": {"startedAt": NOW}}
    return {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "load", "restartCount": restarts, "state": state}],
    }


def waiting(message: str = "") -> dict[str, Any]:
    """The status of a pod that waits for a node."""
    return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": message}]}


def _node_status() -> dict[str, Any]:
    allocatable = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    return {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": allocatable}
