"""Pods with a volume of their own, for tests of clusters, without the suite's own code."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.resources import CLAIMS, PODS, Object
from acceptance.cluster.waiting import wait_for

VOLUME_S = 180
"""for a volume to be made, attached and mounted"""


def a_claim(api: Api, name: str, *, storage_class: str, mode: str = "Filesystem") -> None:
    spec = {
        "storageClassName": storage_class,
        "accessModes": ["ReadWriteOnce"],
        "volumeMode": mode,
        "resources": {"requests": {"storage": "512Mi"}},
    }
    api.create(CLAIMS, {"metadata": {"name": name}, "spec": spec}, namespace="default")


def a_pod(api: Api, name: str, *, image: str, block: bool = False, node: str | None = None) -> None:
    """A pod that sleeps, with the PVC of its name at /volume; one that is started again when it ends."""
    where = {"volumeDevices": [{"name": "volume", "devicePath": "/volume"}]}
    if not block:
        where = {"volumeMounts": [{"name": "volume", "mountPath": "/volume"}]}
    spec = {
        "terminationGracePeriodSeconds": 0,
        "securityContext": {"runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532},
        "nodeSelector": {"kubernetes.io/hostname": node} if node else {},
        "containers": [{"name": "main", "image": image, "command": ["sleep", "2147483647"], **where}],
        "volumes": [{"name": "volume", "persistentVolumeClaim": {"claimName": name}}],
    }
    api.create(PODS, {"metadata": {"name": name}, "spec": spec}, namespace="default")


def is_running(pod: Object) -> bool:
    containers = pod["status"].get("containerStatuses", [])
    return pod["status"].get("phase") == "Running" and bool(containers) and all(each["ready"] for each in containers)


def wait_until_running(api: Api, name: str, *, seconds: float = VOLUME_S) -> Object:
    return wait_for(
        f"pod {name} to run",
        look=lambda: api.get(PODS, name, namespace="default"),
        ready=is_running,
        state=lambda seen: str(seen["status"]),
        timeout_s=seconds,
    )


def shell(api: Api, pod: str, script: str) -> str:
    """What it prints; a container that is not there yet, or no longer, prints nothing."""
    words = ["sh", "-ec", script]
    try:
        done = api.execute(pod, namespace="default", container="main", command=words, timeout_s=60)
    except ApiUnreachable:
        return ""
    return done.stdout


def gone(api: Api, name: str) -> None:
    api.delete(PODS, name, namespace="default")
    api.delete(CLAIMS, name, namespace="default")
