"""StatefulSets of the run: pods that are alike, each with its own claim, spread evenly over the nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim, claim_spec
from acceptance.cluster.departing import Departing, Remainder
from acceptance.cluster.objects import labels, metadata, name_of, only_name
from acceptance.cluster.ownership import prepare_for_release
from acceptance.cluster.pod_manifest import PodPlan, node_affinity, pod_manifest, pod_metadata
from acceptance.cluster.resources import CLAIMS, PODS, STATEFUL_SETS, VOLUMES, Object
from acceptance.cluster.volumes import volumes_of
from acceptance.cluster.waiting import WIDE_LOOK_S, wait_for

SET_LABEL = "storage-acceptance/set"
# As pod_manifest names the volume of a pod's first claim.
CLAIM_TEMPLATE = "volume-0"
# Less than a single load requests: many pods share a node, and most of the time they wait for their storage.
REQUESTS = {"cpu": "50m", "memory": "64Mi"}


@dataclass(frozen=True, kw_only=True)
class StartBarrier:
    """A pod has its `annotation` as the file `path`, so that a patch of the pod reaches the programs in it."""

    annotation: str
    path: str


@dataclass(frozen=True, kw_only=True)
class SetPlan:
    """A set of like pods: `pod` is the task of each; name, size and class of its only claim are those of all claims.

    `nodes`: the only nodes to use, empty for any; `node_labels`: labels that a node must carry; `tolerations`: taints
    of nodes that keep no pod of the set away. `evenly`: a pod waits rather than run on a node that has more pods than
    others. `probe` of each pod ends a container that it finds dead.
    """

    name: str
    pod: PodPlan
    start_barrier: StartBarrier | None = None
    nodes: Sequence[str] = ()
    node_labels: Mapping[str, str] = field(default_factory=dict)
    tolerations: Sequence[Object] = ()
    requests: Mapping[str, str] = field(default_factory=lambda: REQUESTS)
    evenly: bool = True
    probe: Object | None = None

    @property
    def namespace(self) -> str:
        """Return the namespace of the set, its pods and claims."""
        return self.pod.namespace

    @property
    def selector(self) -> str:
        """Return the label selector of its pods, and of no others."""
        return f"{SET_LABEL}={self.name}"

    def pod_name(self, ordinal: int) -> str:
        """Return the name that Kubernetes gives to the pod of that ordinal, from 0."""
        return f"{self.name}-{ordinal}"

    def claim(self, ordinal: int) -> Claim:
        """Return the claim that Kubernetes creates for the pod of that ordinal."""
        (like,) = self.pod.claims
        return replace(like, name=claim_of(self.pod_name(ordinal)))


def claim_of(pod: str) -> str:
    """Return the name of the claim that Kubernetes creates for a pod of a set."""
    return f"{CLAIM_TEMPLATE}-{pod}"


def create_set(api: Api, plan: SetPlan, *, owner: Object) -> None:
    """Create the set, with no pods yet; it is deleted with the owner, which a reference names."""
    body = set_manifest(plan)
    body["metadata"]["ownerReferences"] = [owner]
    api.create(STATEFUL_SETS, body, namespace=plan.namespace)


def scale_set(api: Api, plan: SetPlan, *, pods: int) -> None:
    """Request `pods` pods of the set."""
    api.patch(STATEFUL_SETS, plan.name, {"spec": {"replicas": pods}}, namespace=plan.namespace)


def delete_set(api: Api, plan: SetPlan) -> None:
    """Delete the set, and leave all else to the controllers."""
    api.delete(STATEFUL_SETS, plan.name, namespace=plan.namespace)


def remove_set(api: Api, plan: SetPlan, *, pods: int, timeout_s: float) -> None:
    """Delete the set, its pods and the claims of `pods` of them; wait until claims and volumes no longer exist.

    Volumes whose reclaim policy is not Delete stay, as they should. Raises StorageFailure if others stay.
    """
    delete_set(api, plan)
    for pod in api.list(PODS, namespace=plan.namespace, labels=plan.selector):
        api.delete(PODS, pod["metadata"]["name"], namespace=plan.namespace, grace_s=1)
    claims = {plan.claim(ordinal).name for ordinal in range(pods)}
    claim_times = {
        name_of(claim): claim["metadata"]["creationTimestamp"] for claim in api.list(CLAIMS, namespace=plan.namespace)
    }
    volumes = [
        volume for volume in volumes_of(api, namespace=plan.namespace) if volume["spec"]["claimRef"]["name"] in claims
    ]
    for volume in volumes:
        if (claim := volume["spec"]["claimRef"]["name"]) in claim_times:
            prepare_for_release(api, volume, run_id=plan.pod.claims[0].run_id, claim_time=claim_times[claim])
    for claim in claims:
        api.delete(CLAIMS, claim, namespace=plan.namespace)
    _see_gone(api, plan, claims, volumes, timeout_s=timeout_s)


def _see_gone(api: Api, plan: SetPlan, claims: Collection[str], volumes: Sequence[Object], *, timeout_s: float) -> None:
    """Wait for the claims and then for their volumes, of which these are known."""

    def going() -> list[str]:
        of_namespace = volumes_of(api, namespace=plan.namespace)
        return [
            name_of(volume) for volume in of_namespace if _goes(volume) and volume["spec"]["claimRef"]["name"] in claims
        ]

    def find(name: str) -> Object | None:
        volume = api.find(VOLUMES, name)
        return volume if volume is not None and _goes(volume) else None

    departing = Departing(map(name_of, filter(_goes, volumes)), find=find, search=going)

    def look() -> tuple[list[str], Remainder]:
        there = map(name_of, api.list(CLAIMS, namespace=plan.namespace, slim=only_name))
        remaining = [f"PVC {name}" for name in there if name in claims]
        return remaining, Remainder() if remaining else departing.look()

    wait_for(
        f"the PVCs of {plan.name} and their PVs to be deleted",
        look=look,
        ready=lambda current: current[1].is_gone,
        state=lambda current: f"still exist: {', '.join(current[0] or _volumes(current[1]))}",
        timeout_s=timeout_s + WIDE_LOOK_S,
    )


def _goes(volume: Object) -> bool:
    """Return whether the volume is deleted with its claim."""
    return bool(volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete")


def _volumes(remainder: Remainder) -> list[str]:
    lines = [f"PV {name_of(volume)} ({volume['status'].get('phase', 'unknown')})" for volume in remainder.objects]
    return lines + [f"{remainder.more} more"] * bool(remainder.more) or ["known objects deleted; polling for others"]


def set_manifest(plan: SetPlan) -> Object:
    """Return the set as the API server expects it."""
    (claim,) = plan.pod.claims
    template_metadata = pod_metadata(plan.pod)
    return {
        "metadata": metadata(plan.name, run_id=claim.run_id),
        "spec": {
            "replicas": 0,
            "serviceName": plan.name,
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {SET_LABEL: plan.name}},
            "template": {
                "metadata": template_metadata | {"labels": template_metadata["labels"] | {SET_LABEL: plan.name}},
                "spec": _pod_spec(plan),
            },
            "volumeClaimTemplates": [
                {"metadata": {"name": CLAIM_TEMPLATE, "labels": labels(claim.run_id)}, "spec": claim_spec(claim)}
            ],
        },
    }


def _pod_spec(plan: SetPlan) -> Object:
    """Return the run's usual pod, but restarted when it ends, as a set demands, and without what a set refuses."""
    # No program checks each of many volumes before its pod writes.
    spec: Object = pod_manifest(plan.pod, guarded_claims=(0,))["spec"]
    del spec["activeDeadlineSeconds"]
    spec["restartPolicy"] = "Always"
    spec["volumes"] = [volume for volume in spec["volumes"] if "persistentVolumeClaim" not in volume]
    (container,) = spec["containers"]
    container["resources"]["requests"] = dict(plan.requests)
    container["env"].append({"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})
    if plan.probe is not None:
        container["livenessProbe"] = plan.probe
    if plan.start_barrier is not None:
        folder, _, file = plan.start_barrier.path.rpartition("/")
        item = {"path": file, "fieldRef": {"fieldPath": f"metadata.annotations['{plan.start_barrier.annotation}']"}}
        spec["volumes"].append({"name": "start-barrier", "downwardAPI": {"items": [item]}})
        container["volumeMounts"].append({"name": "start-barrier", "mountPath": folder, "readOnly": True})
    spec["topologySpreadConstraints"] = [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule" if plan.evenly else "ScheduleAnyway",
            # Nodes that take no ordinary pods would otherwise count as empty ones and keep the others from filling.
            "nodeTaintsPolicy": "Honor",
            "labelSelector": {"matchLabels": {SET_LABEL: plan.name}},
        }
    ]
    if plan.nodes:
        spec["affinity"] = node_affinity(plan.nodes)
    if plan.node_labels:
        spec["nodeSelector"] |= dict(plan.node_labels)
    if plan.tolerations:
        spec["tolerations"] = [*spec.get("tolerations", []), *plan.tolerations]
    return spec
