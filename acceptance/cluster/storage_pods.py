"""The storage system's own pods, as far as somebody named them: looked at, and deleted one at a time."""

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
"""for a killed pod to end, so that its node has really ended it before another one is made in its place"""


@dataclass(frozen=True, kw_only=True)
class StoragePod:
    """A pod that may be killed; `owned`: something makes another one in its place."""

    name: str
    uid: str
    node: str
    ready: bool
    owned: bool


def storage_pods(api: Api, selector: PodSelector) -> list[StoragePod]:
    """The pods that it selects, by name; those that have done their work are none. Raises ApiError, ApiUnreachable."""
    found = api.list(PODS, namespace=selector.namespace, labels=selector.labels, slim=_slim)
    pods = [
        StoragePod(
            name=name_of(each),
            uid=each["metadata"]["uid"],
            node=each["spec"].get("nodeName") or "",
            ready=is_ready(each) and not each["metadata"].get("deletionTimestamp"),
            owned=bool(each["metadata"].get("ownerReferences")),
        )
        for each in found
        if not is_over(each)
    ]
    return sorted(pods, key=lambda pod: pod.name)


def _slim(pod: Object) -> Object:
    metadata = pod["metadata"]
    kept = ("name", "uid", "deletionTimestamp", "ownerReferences")
    return {
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"nodeName": (pod.get("spec") or {}).get("nodeName")},
        "status": pod.get("status") or {},
    }


def kill_storage_pod(api: Api, pod: StoragePod, selector: PodSelector) -> None:
    """Have this very pod deleted: one that took its name meanwhile is left alone. Raises ApiError, ApiUnreachable."""
    api.delete(PODS, pod.name, namespace=selector.namespace, grace_s=GRACE_S, uid=pod.uid)


@dataclass(frozen=True, kw_only=True)
class Strength:
    """How many pods of each selector there were, all of them Ready, before anything was killed."""

    pods: Mapping[PodSelector, int]

    @classmethod
    def seen(cls, api: Api, selectors: Sequence[PodSelector]) -> Strength:
        """As it is now. Raises EnvironmentFailure for selectors without pods, and for pods that nothing makes again."""
        found = {selector: storage_pods(api, selector) for selector in selectors}
        problems = [
            f"no pod in namespace {each.namespace} has the labels {each.labels}"
            for each, pods in found.items()
            if not pods
        ]
        problems += [
            f"pod {pod.name} of {each} has no owner that makes another one in its place, so it is not killed"
            for each, pods in found.items()
            for pod in pods
            if not pod.owned
        ]
        if problems:
            raise EnvironmentFailure("; ".join(problems) + "; correct --storage-kill-pods")
        return cls(pods={each: len(pods) for each, pods in found.items()})

    def lacking(self, api: Api, *, without: str = "") -> list[str]:
        """Which pods are not Ready again, in words; `without`: the uid of one that was killed, and must be gone."""
        found = []
        for selector, wanted in self.pods.items():
            pods = storage_pods(api, selector)
            ready = sum(pod.ready for pod in pods if pod.uid != without)
            if ready < wanted or any(pod.uid == without for pod in pods):
                found.append(f"{ready} of {wanted} pods {selector} are Ready")
        return found
