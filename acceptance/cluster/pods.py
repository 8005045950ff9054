"""Pods of the run: created, waited for, described, ended."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.claims import failed_for_good
from acceptance.cluster.events import recent_events
from acceptance.cluster.nodes import is_ready, ready_condition
from acceptance.cluster.pod_manifest import MAIN, PodPlan, pod_manifest
from acceptance.cluster.resources import CLAIMS, NAMESPACES, NODES, PODS, Object
from acceptance.cluster.waiting import describe_events, wait_for
from acceptance.errors import AcceptanceError, EnvironmentFailure, StorageFailure

_PULL_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_LOST = ("Evicted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "UnexpectedAdmissionError")
# What a kubelet says of containers that went while it was away: with their node, or with its container runtime.
_UNSEEN = ("Unknown", "ContainerStatusUnknown")
# containerd's status for a container whose end it did not see; nothing that the suite runs ends with it.
# https://github.com/containerd/containerd/blob/v1.6.20/pkg/cri/server/helpers.go
_UNSEEN_STATUS = 255
_NO_COMMAND = ("StartError", "ContainerCannotRun")
_START_PROBLEMS = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")

_DELETED = "deleted while it was needed; see who did"

# https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-kubernetes-io-selected-node
_CHOSEN = "volume.kubernetes.io/selected-node"


def create_pod(api: Api, plan: PodPlan) -> None:
    """Ask for the pod."""
    api.create(PODS, pod_manifest(plan), namespace=plan.namespace)


def wait_started(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has started (it may have ended already); the pod as seen then.

    Raises EnvironmentFailure when the image cannot be pulled or the pod is taken away, StorageFailure when the volume
    cannot be mounted or the deadline passed; each with the pod's state and events.
    """
    return wait_for(
        f"pod {plan.name} on storage class {plan.classes} to start",
        look=lambda: _needed(api, plan),
        ready=_main_started,
        state=describe_pod,
        fatal=lambda seen: start_problem(api, plan, seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def wait_placed(api: Api, plan: PodPlan, *, timeout_s: float) -> str:
    """Wait until a node is chosen for the pod; its name.

    For a claim that waits for its first consumer the scheduler notes its choice on the claim, before the volume is
    there. Raises what `wait_started` raises.
    """

    def chosen() -> tuple[Object, str]:
        pod = _needed(api, plan)
        claims = (api.get(CLAIMS, claim.name, namespace=plan.namespace) for claim in plan.claims)
        noted = ((claim["metadata"].get("annotations") or {}).get(_CHOSEN) for claim in claims)
        return pod, str(pod["spec"].get("nodeName") or next(filter(None, noted), ""))

    return wait_for(
        f"pod {plan.name} on storage class {plan.classes} to be given a node",
        look=chosen,
        ready=lambda seen: bool(seen[1]),
        state=lambda seen: describe_pod(seen[0]),
        fatal=lambda seen: start_problem(api, plan, seen[0]),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )[1]


def _needed(api: Api, plan: PodPlan) -> Object:
    """The pod, which nobody of the run deletes now. Raises EnvironmentFailure when it is gone all the same."""
    pod = api.find(PODS, plan.name, namespace=plan.namespace)
    if pod is not None and not pod["metadata"].get("deletionTimestamp"):
        return pod
    namespace = api.find(NAMESPACES, plan.namespace)
    if namespace is None or namespace["metadata"].get("deletionTimestamp"):
        raise EnvironmentFailure(f"namespace {plan.namespace} was deleted while the run needed it; see who did")
    if pod is None:
        raise EnvironmentFailure(f"pod {plan.name} on storage class {plan.classes} was {_DELETED}")
    return pod


def wait_ended(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod has ended, well or not; the pod as seen then. Raises EnvironmentFailure when it is gone."""
    return wait_for(
        f"pod {plan.name} on storage class {plan.classes} to end",
        look=lambda: _needed(api, plan),
        ready=lambda seen: seen["status"].get("phase") in ("Succeeded", "Failed"),
        state=describe_pod,
        fatal=lambda seen: start_problem(api, plan, seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def wait_load_over(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Wait until nothing of the pod runs any more; it may be there still. Raises StorageFailure at the deadline."""
    wait_for(
        f"the load of pod {plan.name} on storage class {plan.classes} to end",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda seen: seen is None or not main_runs(seen),
        state=lambda seen: "gone" if seen is None else describe_pod(seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def end_pod(api: Api, plan: PodPlan, *, timeout_s: float, grace_s: int = 1) -> None:
    """Delete the pod and wait until it is gone. Raises StorageFailure at the deadline.

    Its volume is free then, unless `grace_s` is 0: that takes it off the cluster's books at once, whatever runs still.
    """
    api.delete(PODS, plan.name, namespace=plan.namespace, grace_s=grace_s)
    wait_for(
        f"pod {plan.name} to be gone",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda seen: seen is None,
        state=lambda seen: "gone" if seen is None else describe_pod(seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def node_of(pod: Object) -> str:
    """The node that the pod runs on."""
    return str(pod["spec"]["nodeName"])


def image_digest(pod: Object) -> str | None:
    """The digest of the image that the pod's main container runs: the registry's, or an imported image's own."""
    for status in pod["status"].get("containerStatuses") or []:
        digest = str(status.get("imageID", "")).rpartition("@")[2]
        if status["name"] == MAIN and digest.startswith("sha256:"):
            return digest
    return None


def describe_pod(pod: Object) -> str:
    """The pod's state in words: phase, containers that wait or ended, conditions that are not true."""
    parts = [f"phase {pod['status'].get('phase', 'unknown')}"]
    for status in _statuses(pod):
        for kind, detail in (status.get("state") or {}).items():
            if kind != "running":
                text = " ".join(str(detail[key]) for key in ("reason", "exitCode", "message") if key in detail)
                parts.append(f"container {status['name']} {kind}: {text}")
    for condition in pod["status"].get("conditions") or []:
        if condition["type"] == "PodScheduled" and condition["status"] != "True":
            parts.append(f"not scheduled: {condition.get('message', '')}")
    if pod["status"].get("reason"):
        parts.append(f"{pod['status']['reason']}: {pod['status'].get('message', '')}")
    return ", ".join(parts)


def start_problem(api: Api, plan: PodPlan, pod: Object) -> AcceptanceError | None:
    """The error that keeps the pod from ever starting, or None."""
    if (of_image := image_problem(plan.image, pod)) is not None:
        return of_image
    for status in _statuses(pod):
        waiting = (status.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in _START_PROBLEMS:
            return EnvironmentFailure(f"pod {plan.name} cannot start: {waiting['reason']}: {waiting.get('message')}")
    if (taken := taken_away(pod, what=f"pod {plan.name} on storage class {plan.classes}")) is not None:
        return taken
    if pod["status"].get("phase") == "Failed" and not _main_started(pod):
        return StorageFailure(f"pod {plan.name} failed before it started: {describe_pod(pod)}" + _events(api, plan))
    return next(filter(None, (failed_for_good(api, claim) for claim in plan.claims)), None)


def image_problem(image: str, pod: Object) -> EnvironmentFailure | None:
    """Why the image is of no use to the pod: it cannot be pulled, or lacks what the suite runs in it; or None."""
    for status in _statuses(pod):
        waiting = (status.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in _PULL_PROBLEMS:
            return EnvironmentFailure(
                f"image {image!r} cannot be pulled on node {pod['spec'].get('nodeName')}: "
                f"{waiting.get('message') or waiting['reason']}; name one that can with --storage-image, "
                "and its credentials with --storage-pull-secret"
            )
        ended = (status.get("state") or {}).get("terminated") or {}
        if ended.get("reason") in _NO_COMMAND:
            return EnvironmentFailure(
                f"image {image!r} lacks what the suite runs in it: {ended.get('message')}; name an image that "
                "holds fio, sh, df, cat and sync with --storage-image"
            )
    return None


def lost_to_the_cluster(pod: Object) -> str | None:
    """Why the cluster or someone ended the pod before its time (eviction, a node that went, memory, deletion), or None:
    no fault of the storage."""
    if pod["status"].get("phase") == "Succeeded":
        return None
    if pod["status"].get("reason") in _LOST:
        return f"{pod['status']['reason']}: {pod['status'].get('message', '')}"
    for status in _statuses(pod):
        ended = (status.get("state") or {}).get("terminated") or {}
        if ended.get("reason") == "OOMKilled":
            return f"OOMKilled: container {status['name']} ran out of the memory that it may use"
        if ended.get("reason") in _UNSEEN or ended.get("exitCode") == _UNSEEN_STATUS:
            node = pod["spec"].get("nodeName")
            return f"container {status['name']} went with its node {node}, or with the container runtime there"
    # https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
    for condition in pod["status"].get("conditions") or []:
        if condition["type"] == "DisruptionTarget" and condition["status"] == "True":
            return f"{condition.get('reason')}: {condition.get('message')}"
    return _DELETED if pod["metadata"].get("deletionTimestamp") else None


def taken_away(pod: Object, *, what: str) -> EnvironmentFailure | None:
    """The error to raise where the pod is `lost_to_the_cluster`, or None; `what` was lost with it, in words."""
    reason = lost_to_the_cluster(pod)
    return EnvironmentFailure(f"{what} was ended by the cluster: {reason}") if reason else None


def lost_node(api: Api, pod: Object) -> str | None:
    """What is wrong with the pod's node, or None while it is ready: nobody can say what becomes of a pod there."""
    name = pod["spec"].get("nodeName")
    if not name:
        return None
    node = api.find(NODES, name)
    if node is None:
        return f"node {name} is gone"
    if is_ready(node):
        return None
    ready = ready_condition(node)
    return f"node {name} is not ready since {ready.get('lastTransitionTime')}: {ready.get('message')}"


def _events(api: Api, plan: PodPlan) -> str:
    return describe_events(lambda: recent_events(api, namespace=plan.namespace, name=plan.name))


def _statuses(pod: Object) -> list[Object]:
    return pod["status"].get("containerStatuses") or []


def main_runs(pod: Object) -> bool:
    """Whether the pod's container runs, as far as its kubelet has told."""
    return any("running" in (status.get("state") or {}) for status in _statuses(pod))


def _main_started(pod: Object) -> bool:
    for status in pod["status"].get("containerStatuses") or []:
        state = status.get("state") or {}
        if status["name"] == MAIN and ("running" in state or "terminated" in state):
            return True
    return False
