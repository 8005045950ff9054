"""CPU and memory of pods as their kubelets report them: without a metrics server, with a permission on the nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import Permission
from acceptance.cluster.resources import NODES, PODS, Object

USAGE_PERMISSIONS = (Permission(resource=NODES, subresource="proxy", verbs=("get",)),)
"""The permissions that deploy/rbac-price.yaml grants."""
_CPU, _MEMORY = "pod_cpu_usage_seconds_total", "pod_memory_working_set_bytes"
# A line of the text format of Prometheus; the time at its end, in ms, is when the kubelet measured.
_LINE = re.compile(r"(?P<name>\w+)\{(?P<labels>[^}]*)\} (?P<value>\S+)(?: (?P<at>\d+))?\s*")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True, kw_only=True)
class PodKey:
    """A pod by its name: one that replaces another of the same name is another life of the same pod."""

    namespace: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A value that a kubelet measured.

    `value` is CPU seconds since the pod began, or bytes; `at_s` is the kubelet's own time, in s, and unchanged until it
    measures again; None if it reports none.
    """

    value: float
    at_s: float | None


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The readings of one kubelet, of its pods."""

    cpu: Mapping[PodKey, Reading]
    memory: Mapping[PodKey, Reading]


@dataclass(frozen=True, kw_only=True)
class ContainerState:
    """The number of restarts of a container, and the end of its last life."""

    restarts: int
    last_end: str


@dataclass(frozen=True, kw_only=True)
class WatchedPod:
    """A pod as it is kept: its node, its uid, its containers, and whether it is one of a Job, or has succeeded."""

    key: PodKey
    uid: str
    node: str
    containers: Mapping[str, ContainerState]
    of_a_job: bool = False


def read_usage(api: Api, node: str) -> Usage:
    """Return the readings of the node's kubelet now, of all its pods. Raises ApiError, ApiUnreachable."""
    path = NODES.path(namespace=None, name=node, subresource="proxy") + "/metrics/resource"
    return usage_of(api.lines(path))


def usage_of(lines: Iterable[str]) -> Usage:
    """Return the readings in the text that a kubelet answers with."""
    cpu: dict[PodKey, Reading] = {}
    memory: dict[PodKey, Reading] = {}
    for line in lines:
        if not line.startswith((_CPU, _MEMORY)) or (match := _LINE.fullmatch(line)) is None:
            continue
        labels = dict(_LABEL.findall(match["labels"]))
        key = PodKey(namespace=labels.get("namespace", ""), name=labels.get("pod", ""))
        at_s = None if match["at"] is None else int(match["at"]) / 1000
        readings = cpu if match["name"] == _CPU else memory if match["name"] == _MEMORY else {}
        readings[key] = Reading(value=float(match["value"]), at_s=at_s)
    return Usage(cpu=cpu, memory=memory)


def watched_pods(api: Api, of: str) -> list[WatchedPod]:
    """Return the pods of NAMESPACE or NAMESPACE/SELECTOR that are on a node. Raises ApiError, ApiUnreachable."""
    namespace, _, selector = of.partition("/")
    pods = api.list(PODS, namespace=namespace, labels=selector, slim=_slim)
    return [_watched_pod(pod) for pod in pods if pod["node"]]


def _slim(pod: Object) -> Object:
    meta, status = pod["metadata"], pod.get("status") or {}
    own = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    return {
        "namespace": meta["namespace"],
        "name": meta["name"],
        "uid": meta["uid"],
        "node": (pod.get("spec") or {}).get("nodeName"),
        "of_a_job": status.get("phase") == "Succeeded"
        or any(owner_reference.get("kind") == "Job" for owner_reference in meta.get("ownerReferences") or []),
        "containers": {
            container["name"]: (
                int(container.get("restartCount") or 0),
                (container.get("lastState") or {}).get("terminated") or {},
            )
            for container in own
        },
    }


def _watched_pod(slim: Object) -> WatchedPod:
    return WatchedPod(
        key=PodKey(namespace=slim["namespace"], name=slim["name"]),
        uid=slim["uid"],
        node=slim["node"],
        of_a_job=slim["of_a_job"],
        containers={
            name: ContainerState(restarts=restarts, last_end=_describe_end(last))
            for name, (restarts, last) in slim["containers"].items()
        },
    )


def _describe_end(last: Object) -> str:
    """Return the last end in words, as `OOMKilled, exit code 137`."""
    if not last:
        return ""
    return f"{last.get('reason') or 'ended'}, exit code {last.get('exitCode', '?')}"
