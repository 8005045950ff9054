"""The state of a pod: how far it is, why it cannot start, whether the cluster ended it.

It is the state of the run's own container: clusters may add others, which continue to run after that has ended.
"""

from __future__ import annotations

from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import Object
from acceptance.cluster.volume_guard import refusal
from acceptance.text.errors import EnvironmentFailure

_PULL_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_LOSSES = ("Evicted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "UnexpectedAdmissionError")
# Reasons that a kubelet reports for containers lost while it was down: with their node, or container runtime.
_UNSEEN = ("Unknown", "ContainerStatusUnknown")
# containerd's status for a container whose end it did not observe; no program of the suite ends with it.
# https://github.com/containerd/containerd/blob/v1.6.20/pkg/cri/server/helpers.go
_UNSEEN_STATUS = 255
_NO_COMMAND = ("StartError", "ContainerCannotRun")
_CRASHING = "CrashLoopBackOff"
# The scheduler's words for nodes that hold no more pods, and for drivers that attach no more volumes to them: waiting
# does not help, unless others release some soon.
ATTACH_LIMIT = "exceed max volume count"
_NO_ROOM = ("Insufficient", "Too many pods", ATTACH_LIMIT)
OVER = ("Succeeded", "Failed")
"""Phases of pods that no longer take room."""

DELETED_BY_OTHERS = "deleted by someone else during the run; see the API server's audit log"


def node_of(pod: Object) -> str:
    """Return the node that the pod runs on."""
    return str(pod["spec"]["nodeName"])


def image_digest(pod: Object) -> str | None:
    """Return the digest of the image of the pod's main container: the registry's, or an imported image's own."""
    digest = str(main_status(pod).get("imageID", "")).rpartition("@")[2]
    return digest if digest.startswith("sha256:") else None


def describe_pod(pod: Object) -> str:
    """Return the pod's state in words: phase, containers that wait or ended, conditions that are not true."""
    parts = [f"phase {pod['status'].get('phase', 'unknown')}"]
    for status in _statuses(pod):
        for kind, detail in (status.get("state") or {}).items():
            if kind != "running":
                text = " ".join(str(detail[key]) for key in ("reason", "exitCode", "message") if key in detail)
                parts.append(f"container {status['name']} {kind}: {text}")
    if why := not_scheduled(pod):
        parts.append(f"not scheduled: {why}")
    if pod["status"].get("reason"):
        parts.append(f"{pod['status']['reason']}: {pod['status'].get('message', '')}")
    return ", ".join(parts)


def image_problem(image: str, pod: Object) -> EnvironmentFailure | None:
    """Return why the pod cannot use the image: it cannot be pulled, or lacks a program of the suite; or None."""
    waiting = _state_of_main(pod).get("waiting") or {}
    if waiting.get("reason") in _PULL_PROBLEMS:
        return EnvironmentFailure(
            f"image {image!r} cannot be pulled on node {pod['spec'].get('nodeName')}: "
            f"{waiting.get('message') or waiting['reason']}; name an image that can with "
            "--storage-image, and its credentials with --storage-pods pull-secret"
        )
    termination = _state_of_main(pod).get("terminated") or {}
    if termination.get("reason") in _NO_COMMAND:
        return EnvironmentFailure(
            f"image {image!r} lacks a program that the suite runs: {termination.get('message')}; name an image that "
            "holds fio, sh, df, cat and sync with --storage-image"
        )
    return None


def cpu_limit_problem(pod: Object) -> EnvironmentFailure | None:
    """Return the error if the cluster limits the CPU of a pod's container, which no pod of a run requests, or None."""
    for container in pod["spec"].get("containers") or []:
        limit = ((container.get("resources") or {}).get("limits") or {}).get("cpu")
        if container["name"] == MAIN and limit:
            return EnvironmentFailure(
                f"pod {pod['metadata']['name']} was requested without a CPU limit, and a LimitRange or an admission "
                f"webhook set a limit of {limit}: throttling would look like slow storage; exempt namespaces labeled "
                "app.kubernetes.io/managed-by=storage-acceptance from it"
            )
    return None


def lost_to_the_cluster(pod: Object) -> str | None:
    """Return why the cluster or someone ended the pod before its time, or None.

    Reasons are an eviction, a lost node, memory, a deletion, a volume of others: none is a failure of the storage.
    """
    if _main_succeeded(pod):
        return None
    if (guard_refusal := volume_of_others(pod)) is not None:
        return guard_refusal
    if pod["status"].get("reason") in _LOSSES:
        return f"{pod['status']['reason']}: {pod['status'].get('message', '')}"
    termination = _state_of_main(pod).get("terminated") or {}
    if termination.get("reason") == "OOMKilled":
        return f"OOMKilled: container {MAIN} exceeded its memory limit"
    if termination.get("reason") in _UNSEEN or termination.get("exitCode") == _UNSEEN_STATUS:
        node = pod["spec"].get("nodeName")
        return f"container {MAIN} was lost with its node {node}, or with the container runtime there"
    # https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
    disruption = _condition(pod, "DisruptionTarget")
    if disruption.get("status") == "True":
        return f"{disruption.get('reason')}: {disruption.get('message')}"
    return DELETED_BY_OTHERS if pod["metadata"].get("deletionTimestamp") else None


def volume_of_others(pod: Object) -> str | None:
    """Return what the pod found on a volume that is not the run's, and ended because of; or None."""
    return refusal(main_status(pod))


def taken_away(pod: Object, *, subject: str) -> EnvironmentFailure | None:
    """Return the error if the pod is `lost_to_the_cluster`, or None; `subject` was lost with it, in words."""
    reason = lost_to_the_cluster(pod)
    if reason is None:
        return None
    by = "ended itself" if volume_of_others(pod) else "was ended by the cluster"
    return EnvironmentFailure(f"{subject} {by}: {reason}")


def not_scheduled(pod: Object) -> str:
    """Return why the scheduler finds no node for the pod, in its words; empty if it found one, or has not tried yet."""
    condition = _condition(pod, "PodScheduled")
    return "" if condition.get("status", "True") == "True" else str(condition.get("message", ""))


def no_room(pod: Object) -> str:
    """Return the scheduler's words if no node holds one more such pod, or one more of its volumes; empty otherwise."""
    why = not_scheduled(pod)
    return why if any(word in why for word in _NO_ROOM) else ""


def at_attach_limit(pod: Object) -> bool:
    """Return whether the scheduler found no node because drivers attach no more volumes there."""
    return ATTACH_LIMIT in not_scheduled(pod)


def is_ready(pod: Object) -> bool:
    """Return whether the pod is ready, as its kubelet reports."""
    return bool(_condition(pod, "Ready").get("status") == "True")


def has_mounted_volumes(pod: Object) -> bool:
    """Return whether the pod's volumes are mounted and its sandbox exists.

    The kubelet creates the sandbox when all volumes are mounted, and then reports it; before Kubernetes 1.29 it does
    not.
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-ready-to-start-containers
    """
    return bool(_condition(pod, "PodReadyToStartContainers").get("status") == "True")


def is_over(pod: Object) -> bool:
    """Return whether the pod has ended as a whole, and no longer takes room."""
    return pod["status"].get("phase") in OVER


def main_status(pod: Object) -> Object:
    """Return the status of the pod's main container, as far as its kubelet has reported; empty before."""
    return next((status for status in _statuses(pod) if status["name"] == MAIN), {})


def main_restarts(pod: Object) -> int:
    """Return how often the pod's main container was restarted."""
    return int(main_status(pod).get("restartCount", 0))


def main_runs(pod: Object) -> bool:
    """Return whether the pod's main container runs, as far as its kubelet has reported."""
    return "running" in _state_of_main(pod)


def main_started(pod: Object) -> bool:
    """Return whether the pod's main container has started; it may have ended already."""
    return not _state_of_main(pod).keys().isdisjoint(("running", "terminated"))


def main_ended(pod: Object) -> bool:
    """Return whether the pod's main container has ended, successfully or not, or never will run."""
    return "terminated" in _state_of_main(pod) or is_over(pod)


def main_crashed(pod: Object) -> bool:
    """Return whether the pod's main container ended though it should run on, or waits for a restart after that."""
    state = _state_of_main(pod)
    crash_loops = (state.get("waiting") or {}).get("reason") == _CRASHING
    return pod["status"].get("phase") == "Failed" or "terminated" in state or crash_loops


def main_running_since(pod: Object) -> str | None:
    """Return when the pod's main container began to run, by its node's clock, in RFC 3339; None if it does not run."""
    since = (_state_of_main(pod).get("running") or {}).get("startedAt")
    return str(since) if since and pod["status"].get("phase") == "Running" else None


def exit_status_of(pod: Object) -> int | None:
    """Return the exit status of the pod's main container, None if it is not known."""
    status = (_state_of_main(pod).get("terminated") or {}).get("exitCode")
    return None if status is None else int(status)


def _state_of_main(pod: Object) -> Object:
    return main_status(pod).get("state") or {}


def _main_succeeded(pod: Object) -> bool:
    """Return whether the pod's main container has ended successfully."""
    termination = _state_of_main(pod).get("terminated") or {}
    return termination.get("exitCode") == 0 or pod["status"].get("phase") == "Succeeded"


def _condition(pod: Object, kind: str) -> Object:
    return next((condition for condition in pod["status"].get("conditions") or [] if condition["type"] == kind), {})


def _statuses(pod: Object) -> list[Object]:
    return pod["status"].get("containerStatuses") or []
