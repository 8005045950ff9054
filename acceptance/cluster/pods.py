"""Pods of the run: created, waited for, described, ended."""

from __future__ import annotations

from acceptance.cluster.api import PODS, Api, Object
from acceptance.cluster.events import last_warning, recent_events
from acceptance.cluster.pod_manifest import CHECK, MAIN, PodPlan, pod_manifest
from acceptance.cluster.waiting import describe_events, wait_for
from acceptance.errors import AcceptanceError, EnvironmentFailure, StorageFailure

_PULL_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_LOST = ("Evicted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "UnexpectedAdmissionError")
_NO_COMMAND = ("StartError", "ContainerCannotRun")
_START_PROBLEMS = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")


def create_pod(api: Api, plan: PodPlan) -> None:
    """Ask for the pod."""
    api.create(PODS, pod_manifest(plan), namespace=plan.claim.namespace)


def wait_started(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has started (it may have ended already); the pod as seen then.

    Raises EnvironmentFailure when the image cannot be pulled, StorageFailure when the volume cannot be mounted, the
    check failed or the deadline passed; each with the pod's state and events.
    """
    return wait_for(
        f"pod {plan.name} on storage class {plan.claim.storage_class} to start",
        look=lambda: api.get(PODS, plan.name, namespace=plan.claim.namespace),
        ready=_main_started,
        state=describe_pod,
        fatal=lambda seen: start_problem(api, plan, seen),
        events=lambda: recent_events(api, namespace=plan.claim.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def wait_ended(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod has ended, well or not; the pod as seen then."""
    return wait_for(
        f"pod {plan.name} on storage class {plan.claim.storage_class} to end",
        look=lambda: api.get(PODS, plan.name, namespace=plan.claim.namespace),
        ready=lambda seen: seen["status"].get("phase") in ("Succeeded", "Failed"),
        state=describe_pod,
        fatal=lambda seen: start_problem(api, plan, seen),
        events=lambda: recent_events(api, namespace=plan.claim.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def end_pod(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Delete the pod and wait until its volume is free. Raises StorageFailure at the deadline."""
    api.delete(PODS, plan.name, namespace=plan.claim.namespace, grace_s=1)
    wait_for(
        f"pod {plan.name} to be gone",
        look=lambda: api.find(PODS, plan.name, namespace=plan.claim.namespace),
        ready=lambda seen: seen is None,
        state=lambda seen: "gone" if seen is None else describe_pod(seen),
        events=lambda: recent_events(api, namespace=plan.claim.namespace, name=plan.name),
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
    for status in _statuses(pod):
        waiting = (status.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in _PULL_PROBLEMS:
            return EnvironmentFailure(
                f"image {plan.image!r} cannot be pulled on node {pod['spec'].get('nodeName')}: "
                f"{waiting.get('message') or waiting['reason']}; name one that can with --storage-image, "
                "and its credentials with --storage-pull-secret"
            )
        if waiting.get("reason") in _START_PROBLEMS:
            return EnvironmentFailure(f"pod {plan.name} cannot start: {waiting['reason']}: {waiting.get('message')}")
        ended = (status.get("state") or {}).get("terminated") or {}
        if ended.get("reason") in _NO_COMMAND:
            return EnvironmentFailure(
                f"image {plan.image!r} lacks what the suite runs in it: {ended.get('message')}; name an image that "
                "holds fio, sh, df, cat and sync with --storage-image"
            )
        if status["name"] == CHECK and ended.get("exitCode"):
            output = api.log(plan.name, namespace=plan.claim.namespace, container=CHECK)
            return CheckFailed(output, exit_code=int(ended["exitCode"]))
    if reason := lost_to_the_cluster(pod):
        return EnvironmentFailure(f"pod {plan.name} was ended by the cluster: {reason}")
    if pod["status"].get("phase") == "Failed" and not _main_started(pod):
        return StorageFailure(f"pod {plan.name} failed before it started: {describe_pod(pod)}" + _events(api, plan))
    return _provisioning_problem(api, plan)


def lost_to_the_cluster(pod: Object) -> str | None:
    """Why the cluster took the pod away (eviction, preemption, a node that went), or None: no fault of the storage."""
    if pod["status"].get("reason") in _LOST:
        return f"{pod['status']['reason']}: {pod['status'].get('message', '')}"
    return None


def _provisioning_problem(api: Api, plan: PodPlan) -> AcceptanceError | None:
    warning = last_warning(api, namespace=plan.claim.namespace, name=plan.claim.name)
    if warning and "ProvisioningFailed" in warning and "exceeded quota" in warning.lower():
        return StorageFailure(f"claim {plan.claim.name} cannot be provisioned: {warning}")
    return None


class CheckFailed(StorageFailure):
    """The check before the load failed; `output` is what it printed."""

    def __init__(self, output: str, *, exit_code: int) -> None:
        super().__init__(f"the check before the load failed with status {exit_code}: {output.strip()}")
        self.output = output
        self.exit_code = exit_code


def _events(api: Api, plan: PodPlan) -> str:
    return describe_events(lambda: recent_events(api, namespace=plan.claim.namespace, name=plan.name))


def _statuses(pod: Object) -> list[Object]:
    status = pod["status"]
    return [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]


def _main_started(pod: Object) -> bool:
    for status in pod["status"].get("containerStatuses") or []:
        state = status.get("state") or {}
        if status["name"] == MAIN and ("running" in state or "terminated" in state):
            return True
    return False
