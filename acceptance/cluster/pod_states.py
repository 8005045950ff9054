"""What a pod's own state tells: how far it came, why it cannot start, whether it was taken away.

Its state is that of the run's own container: clusters may add others, which run on when that has ended.
"""

from __future__ import annotations

from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import Object
from acceptance.cluster.volume_guard import refusal
from acceptance.text.errors import EnvironmentFailure

_PULL_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_LOST = ("Evicted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "UnexpectedAdmissionError")
# What a kubelet says of containers that went while it was away: with their node, or with its container runtime.
_UNSEEN = ("Unknown", "ContainerStatusUnknown")
# containerd's status for a container whose end it did not see; nothing that the suite runs ends with it.
# https://github.com/containerd/containerd/blob/v1.6.20/pkg/cri/server/helpers.go
_UNSEEN_STATUS = 255
_NO_COMMAND = ("StartError", "ContainerCannotRun")
_CRASHING = "CrashLoopBackOff"
# The scheduler's words for nodes that hold no more, and for drivers that attach no more to them: what waiting does not
# mend, unless others let go of it soon.
ATTACH_LIMIT = "exceed max volume count"
_NO_ROOM = ("Insufficient", "Too many pods", ATTACH_LIMIT)
OVER = ("Succeeded", "Failed")
"""phases of pods that take no room any more"""

DELETED = "deleted by someone else during the run; see the API server's audit log"


def node_of(pod: Object) -> str:
    """The node that the pod runs on."""
    return str(pod["spec"]["nodeName"])


def image_digest(pod: Object) -> str | None:
    """The digest of the image that the pod's main container runs: the registry's, or an imported image's own."""
    digest = str(main_status(pod).get("imageID", "")).rpartition("@")[2]
    return digest if digest.startswith("sha256:") else None


def describe_pod(pod: Object) -> str:
    """The pod's state in words: phase, containers that wait or ended, conditions that are not true."""
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
    """Why the image is of no use to the pod: it cannot be pulled, or lacks what the suite runs in it; or None."""
    waiting = _state_of_main(pod).get("waiting") or {}
    if waiting.get("reason") in _PULL_PROBLEMS:
        return EnvironmentFailure(
            f"image {image!r} cannot be pulled on node {pod['spec'].get('nodeName')}: "
            f"{waiting.get('message') or waiting['reason']}; name one that can with --storage-image, "
            "and its credentials with --storage-pods pull-secret"
        )
    ended = _state_of_main(pod).get("terminated") or {}
    if ended.get("reason") in _NO_COMMAND:
        return EnvironmentFailure(
            f"image {image!r} lacks a program that the suite runs: {ended.get('message')}; name an image that "
            "holds fio, sh, df, cat and sync with --storage-image"
        )
    return None


def throttled(pod: Object) -> EnvironmentFailure | None:
    """The error to raise where the cluster limits the CPU of the pod's container, which no pod of a run asks for."""
    for container in pod["spec"].get("containers") or []:
        limit = ((container.get("resources") or {}).get("limits") or {}).get("cpu")
        if container["name"] == MAIN and limit:
            return EnvironmentFailure(
                f"pod {pod['metadata']['name']} was asked for without a limit of CPU and was given one of {limit} by a "
                "LimitRange or an admission webhook: throttling would look like slow storage; exempt namespaces "
                "labelled app.kubernetes.io/managed-by=storage-acceptance from it"
            )
    return None


def lost_to_the_cluster(pod: Object) -> str | None:
    """Why the cluster or someone ended the pod before its time (eviction, a node that went, memory, deletion, a volume
    of others), or None: no fault of the storage."""
    if _main_succeeded(pod):
        return None
    if (refused := volume_of_others(pod)) is not None:
        return refused
    if pod["status"].get("reason") in _LOST:
        return f"{pod['status']['reason']}: {pod['status'].get('message', '')}"
    ended = _state_of_main(pod).get("terminated") or {}
    if ended.get("reason") == "OOMKilled":
        return f"OOMKilled: container {MAIN} exceeded its memory limit"
    if ended.get("reason") in _UNSEEN or ended.get("exitCode") == _UNSEEN_STATUS:
        node = pod["spec"].get("nodeName")
        return f"container {MAIN} went with its node {node}, or with the container runtime there"
    # https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
    disrupted = _condition(pod, "DisruptionTarget")
    if disrupted.get("status") == "True":
        return f"{disrupted.get('reason')}: {disrupted.get('message')}"
    return DELETED if pod["metadata"].get("deletionTimestamp") else None


def volume_of_others(pod: Object) -> str | None:
    """What the pod found on a volume that is not the run's, and ended because of; or None."""
    return refusal(main_status(pod))


def taken_away(pod: Object, *, what: str) -> EnvironmentFailure | None:
    """The error to raise where the pod is `lost_to_the_cluster`, or None; `what` was lost with it, in words."""
    reason = lost_to_the_cluster(pod)
    if reason is None:
        return None
    by = "ended itself" if volume_of_others(pod) else "was ended by the cluster"
    return EnvironmentFailure(f"{what} {by}: {reason}")


def not_scheduled(pod: Object) -> str:
    """Why the scheduler finds no node for the pod, in its words; empty where it found one, or has not looked yet."""
    placed = _condition(pod, "PodScheduled")
    return "" if placed.get("status", "True") == "True" else str(placed.get("message", ""))


def no_room(pod: Object) -> str:
    """The scheduler's words where no node holds one more such pod, or one more of its volumes; empty otherwise."""
    why = not_scheduled(pod)
    return why if any(word in why for word in _NO_ROOM) else ""


def at_attach_limit(pod: Object) -> bool:
    """Whether the scheduler found no node because drivers attach no more volumes there."""
    return ATTACH_LIMIT in not_scheduled(pod)


def is_ready(pod: Object) -> bool:
    """Whether the pod is ready, as its kubelet says."""
    return bool(_condition(pod, "Ready").get("status") == "True")


def mounted(pod: Object) -> bool:
    """Whether the pod's volumes are mounted and its sandbox is there; clusters before Kubernetes 1.29 do not tell.

    The kubelet makes the sandbox when all volumes are mounted, and then says so.
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-ready-to-start-containers
    """
    return bool(_condition(pod, "PodReadyToStartContainers").get("status") == "True")


def is_over(pod: Object) -> bool:
    """Whether the pod has ended as a whole, and takes no room any more."""
    return pod["status"].get("phase") in OVER


def main_status(pod: Object) -> Object:
    """The status of the pod's main container, as far as its kubelet has told; empty before."""
    return next((status for status in _statuses(pod) if status["name"] == MAIN), {})


def main_restarts(pod: Object) -> int:
    """How often the pod's main container was started again."""
    return int(main_status(pod).get("restartCount", 0))


def main_runs(pod: Object) -> bool:
    """Whether the pod's main container runs, as far as its kubelet has told."""
    return "running" in _state_of_main(pod)


def main_started(pod: Object) -> bool:
    """Whether the pod's main container has started; it may have ended already."""
    return not _state_of_main(pod).keys().isdisjoint(("running", "terminated"))


def main_ended(pod: Object) -> bool:
    """Whether the pod's main container has ended, well or not, or never will run."""
    return "terminated" in _state_of_main(pod) or is_over(pod)


def main_crashed(pod: Object) -> bool:
    """Whether the pod's main container ended though it should run on, or waits to be started again because it did."""
    state = _state_of_main(pod)
    crash_loops = (state.get("waiting") or {}).get("reason") == _CRASHING
    return pod["status"].get("phase") == "Failed" or "terminated" in state or crash_loops


def main_running_since(pod: Object) -> str | None:
    """When the pod's main container began to run, by its node's clock, in RFC 3339; None where it does not run."""
    since = (_state_of_main(pod).get("running") or {}).get("startedAt")
    return str(since) if since and pod["status"].get("phase") == "Running" else None


def exit_status_of(pod: Object) -> int | None:
    """The exit status of the pod's main container, None where it is not known."""
    status = (_state_of_main(pod).get("terminated") or {}).get("exitCode")
    return None if status is None else int(status)


def _state_of_main(pod: Object) -> Object:
    return main_status(pod).get("state") or {}


def _main_succeeded(pod: Object) -> bool:
    """Whether the pod's main container has ended well."""
    ended = _state_of_main(pod).get("terminated") or {}
    return ended.get("exitCode") == 0 or pod["status"].get("phase") == "Succeeded"


def _condition(pod: Object, kind: str) -> Object:
    return next((condition for condition in pod["status"].get("conditions") or [] if condition["type"] == kind), {})


def _statuses(pod: Object) -> list[Object]:
    return pod["status"].get("containerStatuses") or []
