"""Pods with a volume of their own, for tests of clusters, without the suite's own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.resources import CLAIMS, PODS, VOLUMES, Object
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


def a_volume(
    api: Api, name: str, *, storage_class: str, image: str, block: bool = False, node: str | None = None
) -> None:
    """A PVC, and a pod of its name that has its volume and runs."""
    a_claim(api, name, storage_class=storage_class, mode="Block" if block else "Filesystem")
    a_pod(api, name, image=image, block=block, node=node)
    wait_until_running(api, name)


def is_running(pod: Object) -> bool:
    containers = pod["status"].get("containerStatuses", [])
    return (
        pod["status"].get("phase") == "Running"
        and bool(containers)
        and all(container["ready"] for container in containers)
    )


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


def all_gone(api: Api, *names: str, left: Callable[[], list[Any]]) -> None:
    """The pods and their PVCs are deleted, and with them go all volumes of the cluster and what else is `left`."""
    for name in names:
        gone(api, name)
    wait_for(
        "the volumes and what they are made of to go",
        look=lambda: [*api.list(VOLUMES), *left()],
        ready=lambda seen: not seen,
        state=str,
        timeout_s=VOLUME_S,
    )


def gone(api: Api, name: str) -> None:
    api.delete(PODS, name, namespace="default")
    api.delete(CLAIMS, name, namespace="default")
