"""A pod of the run as the API server expects it, conforming to the `restricted` Pod Security Standard."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from acceptance.cluster.claims import Claim, claim_spec
from acceptance.cluster.nodes import SYSTEM
from acceptance.cluster.objects import labels
from acceptance.cluster.resources import Object
from acceptance.cluster.volume_guard import guarded_command
from acceptance.settings.pod_template import PodTemplate

VOLUMES_PATH = "/volumes"
DEVICES_PATH = "/devices"
FILES_PATH = "/profiles"
MAIN = "load"
# The numeric id that distributions give to "nobody"; any id but 0 passes the restricted standard.
USER = 65534
GroupPolicy = Literal["OnRootMismatch", "Always"]


@dataclass(frozen=True, kw_only=True)
class PodDefaults:
    """The settings of all pods of a run. `user`: number of user and groups, None if the cluster assigns them."""

    user: int | None = USER
    pull_secret: str | None = None
    template: PodTemplate = field(default_factory=PodTemplate)


@dataclass(frozen=True, kw_only=True)
class PodPlan:
    """The task of one pod, on the volumes of its claims (one at least).

    `deadline_s`: the cluster ends it after that, even if the suite no longer runs. `read_only`: it may not write on its
    volumes. `sub_path`: the folder of each volume that it has in place of the whole volume. `fs_group`: the numeric id
    of the group that is to own the volumes, None for that of all pods; `group_policy`: whether they are all given to
    the group even if their root has it. `user`: the number of its user and group, None for that of all pods; `groups`:
    further ones of that user. `host_users`: false for a user namespace of its own; `selinux_level`: its level, None for
    that of its runtime. `away_from`: a node that it may not run on. `ephemeral`: its claims are created and
    deleted with it. `requests`: the resources that its node reserves.
    """

    name: str
    claims: tuple[Claim, ...]
    image: str
    command: Sequence[str]
    deadline_s: int
    environment: Mapping[str, str] = field(default_factory=dict)
    files: str | None = None
    node: str | None = None
    away_from: str | None = None
    defaults: PodDefaults = field(default_factory=PodDefaults)
    read_only: bool = False
    sub_path: str | None = None
    fs_group: int | None = None
    group_policy: GroupPolicy = "OnRootMismatch"
    user: int | None = None
    groups: tuple[int, ...] = ()
    host_users: bool = True
    selinux_level: str | None = None
    ephemeral: bool = False
    requests: Mapping[str, str] = field(default_factory=lambda: {"cpu": "100m", "memory": "64Mi"})

    @property
    def namespace(self) -> str:
        """Return the namespace of the pod and its claims."""
        return self.claims[0].namespace

    @property
    def classes(self) -> str:
        """Return the StorageClasses of its volumes, in words."""
        return " and ".join(claim.storage_class for claim in self.claims)


def volume_path(number: int, *, block: bool = False) -> str:
    """Return where a pod has the volume of its n-th claim, from 0: a folder, or the device of a raw block volume."""
    return f"{DEVICES_PATH if block else VOLUMES_PATH}/{number + 1}"


def pod_manifest(plan: PodPlan, *, guarded_claims: Collection[int] = ()) -> Object:
    """Return the pod as the API server expects it: `command` on the claims' volumes.

    It ends before its command if a volume of a claim whose number is in `guarded_claims` holds data of others.
    """
    spec: Object = {
        "restartPolicy": "Never",
        "activeDeadlineSeconds": plan.deadline_s,
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": plan.defaults.template.spec.node_selector | {SYSTEM: "linux"},
        "securityContext": _security(plan),
        "containers": [_container(plan, guarded_claims=guarded_claims)],
        "volumes": [{"name": volume_name(number), **_source(plan, claim)} for number, claim in enumerate(plan.claims)],
    }
    if plan.files:
        spec["volumes"].append({"name": "files", "configMap": {"name": plan.files}})
    if not plan.host_users:
        spec["hostUsers"] = False
    if plan.defaults.pull_secret:
        spec["imagePullSecrets"] = [{"name": plan.defaults.pull_secret}]
    if tolerations := plan.defaults.template.tolerations:
        spec["tolerations"] = tolerations
    if priority := plan.defaults.template.spec.priority_class_name:
        spec["priorityClassName"] = priority
    if plan.node:
        spec["affinity"] = node_affinity([plan.node])
    elif plan.away_from:
        spec["affinity"] = node_affinity([plan.away_from], operator="NotIn")
    return {"metadata": {"name": plan.name, **pod_metadata(plan)}, "spec": spec}


def volume_name(number: int) -> str:
    """Return the name that the volume of a pod's n-th claim has in the pod, from 0."""
    return f"volume-{number}"


def ephemeral_name(pod: str, number: int) -> str:
    """Return the name of the claim that Kubernetes creates with a pod for its n-th ephemeral volume, from 0.

    https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#persistentvolumeclaim-naming
    """
    return f"{pod}-{volume_name(number)}"


def _source(plan: PodPlan, claim: Claim) -> Object:
    if plan.ephemeral:
        template = {"metadata": {"labels": labels(claim.run_id)}, "spec": claim_spec(claim)}
        return {"ephemeral": {"volumeClaimTemplate": template}}
    return {"persistentVolumeClaim": {"claimName": claim.name} | ({"readOnly": True} if plan.read_only else {})}


def pod_metadata(plan: PodPlan) -> Object:
    """Return labels and annotations of the pod: the run's, and those of the template."""
    template = plan.defaults.template.metadata
    own_metadata: Object = {"labels": template.labels | labels(plan.claims[0].run_id)}
    return own_metadata | ({"annotations": dict(template.annotations)} if template.annotations else {})


def _security(plan: PodPlan) -> Object:
    """Return the security context; without ids if the cluster assigns them.

    OpenShift refuses ids that are not of the namespace's range.
    """
    user = plan.defaults.user
    group = user if plan.fs_group is None else plan.fs_group
    own = user if plan.user is None else plan.user
    ids: Object = {} if own is None else {"runAsUser": own, "runAsGroup": own}
    if plan.groups:
        ids["supplementalGroups"] = list(plan.groups)
    return {
        "runAsNonRoot": True,
        **ids,
        **({} if group is None else {"fsGroup": group}),
        "fsGroupChangePolicy": plan.group_policy,
        **({"seLinuxOptions": {"level": plan.selinux_level}} if plan.selinux_level else {}),
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _container(plan: PodPlan, *, guarded_claims: Collection[int]) -> Object:
    claims = list(enumerate(plan.claims))
    how: Object = ({"readOnly": True} if plan.read_only else {}) | ({"subPath": plan.sub_path} if plan.sub_path else {})
    mounts: list[Object] = [
        {"name": volume_name(number), "mountPath": volume_path(number), **how}
        for number, claim in claims
        if not claim.block
    ]
    devices = [
        {"name": volume_name(number), "devicePath": volume_path(number, block=True)}
        for number, claim in claims
        if claim.block
    ]
    unproven = [volume_path(number, block=claim.block) for number, claim in claims if number in guarded_claims]
    if plan.files:
        mounts.append({"name": "files", "mountPath": FILES_PATH, "readOnly": True})
    return {
        "name": MAIN,
        "image": plan.image,
        "imagePullPolicy": "IfNotPresent",
        "command": guarded_command(plan.command, volumes=unproven, mark=plan.claims[0].run_id),
        "env": [{"name": key, "value": value} for key, value in plan.environment.items()],
        "volumeMounts": mounts,
        "volumeDevices": devices,
        # No limit on CPU: throttling would look like slow storage.
        "resources": {"requests": dict(plan.requests), "limits": {"memory": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def node_affinity(nodes: Sequence[str], *, operator: str = "In") -> Object:
    """Return the affinity of a pod that may run on these nodes only; with NotIn, on all but this one.

    It works through the scheduler, not spec.nodeName: volumes that wait for their first consumer bind only so.
    """
    terms = [{"matchFields": [{"key": "metadata.name", "operator": operator, "values": [node]}]} for node in nodes]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
