"""A pod of the run as the API server wants it, made to the `restricted` Pod Security Standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acceptance.cluster.api import Object
from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import metadata

VOLUME_PATH = "/volume"
FILES_PATH = "/profiles"
MAIN = "load"
CHECK = "check"
# The numeric id that distributions give to "nobody"; any id but 0 passes the restricted standard.
USER = 65534


@dataclass(frozen=True, kw_only=True)
class PodPlan:
    """What one pod is to do. `deadline_s`: the cluster ends it after that, even if the suite is no more."""

    name: str
    claim: Claim
    image: str
    command: Sequence[str]
    deadline_s: int
    check: Sequence[str] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    files: str | None = None
    node: str | None = None
    pull_secret: str | None = None


def pod_manifest(plan: PodPlan) -> Object:
    """The pod as the API server wants it: `check` as an init container, then `command`, on the claim's volume."""
    spec: Object = {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": plan.deadline_s,
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(MAIN, plan.command, plan)],
        "volumes": [{"name": "volume", "persistentVolumeClaim": {"claimName": plan.claim.name}}],
    }
    if plan.check:
        spec["initContainers"] = [_container(CHECK, plan.check, plan)]
    if plan.files:
        spec["volumes"].append({"name": "files", "configMap": {"name": plan.files}})
    if plan.pull_secret:
        spec["imagePullSecrets"] = [{"name": plan.pull_secret}]
    if plan.node:
        spec["affinity"] = _affinity(plan.node)
    return {"metadata": metadata(plan.name, run_id=plan.claim.run_id), "spec": spec}


def _container(name: str, command: Sequence[str], plan: PodPlan) -> Object:
    mounts: list[dict[str, Any]] = [{"name": "volume", "mountPath": VOLUME_PATH}]
    if plan.files:
        mounts.append({"name": "files", "mountPath": FILES_PATH, "readOnly": True})
    return {
        "name": name,
        "image": plan.image,
        "imagePullPolicy": "IfNotPresent",
        "command": list(command),
        "env": [{"name": key, "value": value} for key, value in plan.environment.items()],
        "volumeMounts": mounts,
        # No limit on CPU: throttling would be measured as slow storage.
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _affinity(node: str) -> Object:
    # Through the scheduler, not spec.nodeName: volumes that wait for their first consumer bind only so.
    field_match = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field_match]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
