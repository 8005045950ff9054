"""CPU and memory of pods as their kubelets know them: no metrics server is needed, but a right on the nodes is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import Permission
from acceptance.cluster.resources import NODES, PODS, Object

NEEDED = (Permission(resource=NODES, subresource="proxy", verbs=("get",)),)
"""deploy/rbac-price.yaml has it"""
_CPU, _MEMORY = "pod_cpu_usage_seconds_total", "pod_memory_working_set_bytes"
# A line of the text format of Prometheus; the time at its end, in ms, is when the kubelet looked.
_LINE = re.compile(r"(?P<name>\w+)\{(?P<labels>[^}]*)\} (?P<value>\S+)(?: (?P<at>\d+))?\s*")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True, kw_only=True)
class PodKey:
    """A pod by its name: one that takes the place of another of the same name is another life of the same pod."""

    namespace: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`value` is CPU seconds since the pod began, or bytes; `at_s` is the kubelet's own time, in s, and the same again
    until it looks anew; None where it does not tell."""

    value: float
    at_s: float | None


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What one kubelet said of its pods."""

    cpu: Mapping[PodKey, Reading]
    memory: Mapping[PodKey, Reading]


@dataclass(frozen=True, kw_only=True)
class ContainerState:
    """How often a container was started anew, and how its last life ended."""

    restarts: int
    ended: str


@dataclass(frozen=True, kw_only=True)
class WatchedPod:
    """What is kept of a pod: its node, its uid, its containers, and whether it is one of a Job, or is done."""

    key: PodKey
    uid: str
    node: str
    containers: Mapping[str, ContainerState]
    of_a_job: bool = False


def read_usage(api: Api, node: str) -> Usage:
    """As the node's kubelet has it now, of all its pods. Raises ApiError, ApiUnreachable."""
    path = NODES.path(namespace=None, name=node, subresource="proxy") + "/metrics/resource"
    return usage_of(api.lines(path))


def usage_of(lines: Iterable[str]) -> Usage:
    """From the text that a kubelet answers with."""
    cpu: dict[PodKey, Reading] = {}
    memory: dict[PodKey, Reading] = {}
    for line in lines:
        if not line.startswith((_CPU, _MEMORY)) or (found := _LINE.fullmatch(line)) is None:
            continue
        labels = dict(_LABEL.findall(found["labels"]))
        key = PodKey(namespace=labels.get("namespace", ""), name=labels.get("pod", ""))
        at_s = None if found["at"] is None else int(found["at"]) / 1000
        kept = cpu if found["name"] == _CPU else memory if found["name"] == _MEMORY else {}
        kept[key] = Reading(value=float(found["value"]), at_s=at_s)
    return Usage(cpu=cpu, memory=memory)


def watched_pods(api: Api, of: str) -> list[WatchedPod]:
    """The pods of NAMESPACE or NAMESPACE/SELECTOR that are on a node. Raises ApiError, ApiUnreachable."""
    namespace, _, selector = of.partition("/")
    found = api.list(PODS, namespace=namespace, labels=selector, slim=_slim)
    return [_watched(each) for each in found if each["node"]]


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
            each["name"]: (int(each.get("restartCount") or 0), (each.get("lastState") or {}).get("terminated") or {})
            for each in own
        },
    }


def _watched(slim: Object) -> WatchedPod:
    return WatchedPod(
        key=PodKey(namespace=slim["namespace"], name=slim["name"]),
        uid=slim["uid"],
        node=slim["node"],
        of_a_job=slim["of_a_job"],
        containers={
            name: ContainerState(restarts=restarts, ended=_ended(last))
            for name, (restarts, last) in slim["containers"].items()
        },
    )


def _ended(last: Object) -> str:
    """`OOMKilled, exit code 137`"""
    if not last:
        return ""
    return f"{last.get('reason') or 'ended'}, exit code {last.get('exitCode', '?')}"
