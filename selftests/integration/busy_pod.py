"""A pod that keeps the mounts of an embedded cluster in use."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, PODS, SERVICE_ACCOUNTS, Object
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S


def use_volumes(api: Api, *, image: str) -> Object:
    """A pod that uses a volume of each class, and goes on doing so; as it is when it runs."""
    classes = ("local-path", "replicated")
    for name in classes:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
        api.create(
            CLAIMS, {"metadata": {"name": name}, "spec": {**spec, "storageClassName": name}}, namespace="default"
        )
    container = {
        "name": "main",
        "image": image,
        "command": ["sleep", "600"],
        "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in classes],
    }
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in classes]
    body = {"metadata": {"name": "busy"}, "spec": {"containers": [container], "volumes": volumes}}
    wait_for(
        "the default account",
        look=lambda: api.find(SERVICE_ACCOUNTS, "default", namespace="default"),
        ready=bool,
        state=str,
        timeout_s=HANGS_S,
    )
    api.create(PODS, body, namespace="default")
    return wait_for(
        "the pod to run",
        look=lambda: api.get(PODS, "busy", namespace="default"),
        ready=lambda seen: seen["status"].get("phase") == "Running",
        state=lambda seen: str(seen["status"]),
        timeout_s=HANGS_S,
    )
