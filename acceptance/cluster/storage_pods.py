"""The storage system's own pods, as far as the user named them: read, and deleted one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_states import is_over, is_ready
from acceptance.cluster.resources import PODS, Object
from acceptance.settings.pod_selectors import PodSelector
from acceptance.text.errors import EnvironmentFailure

GRACE_S = 1
"""Seconds for a killed pod to end, so that its node has really ended it before another one replaces it."""


@dataclass(frozen=True, kw_only=True)
class StoragePod:
    """A pod that may be killed; `has_owner`: a controller creates another one in its place."""

    name: str
    uid: str
    node: str
    ready: bool
    has_owner: bool


def storage_pods(api: Api, selector: PodSelector) -> list[StoragePod]:
    """Return the pods that it selects, by name, without those that are over. Raises ApiError, ApiUnreachable."""
    items = api.list(PODS, namespace=selector.namespace, labels=selector.labels, slim=_slim)
    pods = [
        StoragePod(
            name=name_of(item),
            uid=item["metadata"]["uid"],
            node=item["spec"].get("nodeName") or "",
            ready=is_ready(item) and not item["metadata"].get("deletionTimestamp"),
            has_owner=bool(item["metadata"].get("ownerReferences")),
        )
        for item in items
        if not is_over(item)
    ]
    return sorted(pods, key=lambda pod: pod.name)


def _slim(pod: Object) -> Object:
    metadata = pod["metadata"]
    keys = ("name", "uid", "deletionTimestamp", "ownerReferences")
    return {
        "metadata": {key: metadata[key] for key in keys if key in metadata},
        "spec": {"nodeName": (pod.get("spec") or {}).get("nodeName")},
        "status": pod.get("status") or {},
    }


def kill_storage_pod(api: Api, pod: StoragePod, selector: PodSelector) -> None:
    """Delete this very pod, and none that took its name meanwhile. Raises ApiError, ApiUnreachable."""
    api.delete(PODS, pod.name, namespace=selector.namespace, grace_s=GRACE_S, uid=pod.uid)


@dataclass(frozen=True, kw_only=True)
class Strength:
    """The number of pods of each selector, all of them Ready, before anything was killed."""

    pods: Mapping[PodSelector, int]

    @classmethod
    def measure(cls, api: Api, selectors: Sequence[PodSelector]) -> Strength:
        """Return the present numbers. Raises EnvironmentFailure for selectors without pods, and pods without owner."""
        pods_by_selector = {selector: storage_pods(api, selector) for selector in selectors}
        problems = [
            f"no pod in namespace {selector.namespace} has the labels {selector.labels}"
            for selector, pods in pods_by_selector.items()
            if not pods
        ]
        problems += [
            f"pod {pod.name} of {selector} has no owner that recreates it, so it is not killed"
            for selector, pods in pods_by_selector.items()
            for pod in pods
            if not pod.has_owner
        ]
        if problems:
            raise EnvironmentFailure("; ".join(problems) + "; correct --storage-kill-pods")
        return cls(pods={selector: len(pods) for selector, pods in pods_by_selector.items()})

    def lacking(self, api: Api, *, without: str = "") -> list[str]:
        """Return which pods are not Ready again, in words; `without`: the uid of a killed one, which must not exist."""
        problems = []
        for selector, count in self.pods.items():
            pods = storage_pods(api, selector)
            ready = sum(pod.ready for pod in pods if pod.uid != without)
            if ready < count or any(pod.uid == without for pod in pods):
                problems.append(f"{ready} of {count} pods {selector} are Ready")
        return problems
