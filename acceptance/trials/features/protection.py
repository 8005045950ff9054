"""A volume in use whose PVC and PV are deleted: both remain until its pod is gone, and are removed then."""

from __future__ import annotations

from acceptance.cluster.claims import Claim, delete_claim, wait_volume_gone, wait_volume_released
from acceptance.cluster.permissions import DELETES_VOLUMES, may
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import end_pod
from acceptance.cluster.resources import CLAIMS, VOLUMES, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.going_on import USES, wait_goes_on

# With it a provisioner deletes the storage behind a PV that is deleted before its PVC; without it that would remain.
# https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolume-deletion-protection-finalizer
_HONOURS_POLICY = "external-provisioner.volume.kubernetes.io/finalizer"


@Tries("protection", "Volumes in use survive the deletion of their PVC")
def try_protection(bench: Bench) -> str:
    """Verify that a volume in use survives the deletion of its PVC, and of its PV if the account may delete one.

    Returns what was observed. Raises StorageFailure if the volume is removed, or fails its pod, before that is gone, or
    if it remains afterwards.
    """
    claim = bench.claim("protected")
    pod = bench.start(claim, USES)
    volume = bench.volume_of(claim)
    left_out = _why_not_deleted(bench, volume)
    if left_out is None:
        bench.api.delete(VOLUMES, volume)
        _wait_in_use(bench, pod, VOLUMES, volume)
    delete_claim(bench.api, claim)
    _wait_in_use(bench, pod, CLAIMS, claim.name)
    _require_there(bench, VOLUMES, volume)
    end_pod(bench.api, pod, timeout_s=bench.timeout_s)
    _wait_gone(bench, claim, volume)
    objects = "its PV, then of its PVC," if left_out is None else "its PVC"
    note = "" if left_out is None else f"; the suite did not delete its PV: {left_out}"
    if bench.storage_class.reclaim_policy == "Delete":
        end = "and was deleted after its pod"
    else:
        policy = bench.storage_class.reclaim_policy
        end = f"and its PVC was deleted after its pod; the PV remains, because the reclaim policy is {policy}"
    return f"a volume in use survived the deletion of {objects} {end}{note}"


def _why_not_deleted(bench: Bench, volume: str) -> str | None:
    """Return why the PV is not deleted while it is in use; None if its deletion leaves nothing behind."""
    pv = bench.api.get(VOLUMES, volume)
    if pv["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
        return f"its reclaim policy is {pv['spec'].get('persistentVolumeReclaimPolicy')}"
    if _HONOURS_POLICY not in (pv["metadata"].get("finalizers") or []):
        return f"its provisioner would leave the storage behind it (the PV has no finalizer {_HONOURS_POLICY})"
    if not may(bench.api, DELETES_VOLUMES):
        return "the account may not delete persistentvolumes (deploy/rbac-volume-deletion.yaml)"
    return None


def _wait_in_use(bench: Bench, pod: PodPlan, resource: Resource, name: str) -> None:
    """Wait until the pod has continued for some rounds on a volume whose object is being deleted."""
    kind = "PVC" if resource is CLAIMS else "PV"
    wait_goes_on(
        bench,
        pod,
        since=f" after the deletion of {kind} {name} was requested",
        describe_failure=lambda rounds: f"failed {rounds} rounds after the deletion of the {kind} was requested",
        look=lambda: _require_there(bench, resource, name),
    )


def _require_there(bench: Bench, resource: Resource, name: str) -> None:
    kind = "PVC" if resource is CLAIMS else "PV"
    namespace = bench.workspace.namespace if resource.has_namespace else None
    if bench.api.find(resource, name, namespace=namespace) is None:
        raise StorageFailure(
            f"{kind} {name} of StorageClass {bench.storage_class.name} was deleted while a pod used its volume; its "
            "finalizer must keep it until the pod is deleted; find out what removed the finalizer"
        )


def _wait_gone(bench: Bench, claim: Claim, volume: str) -> None:
    wait_for(
        f"PVC {claim.name}, whose deletion was requested, to be deleted after its pod",
        look=lambda: bench.api.find(CLAIMS, claim.name, namespace=claim.namespace),
        ready=lambda pvc: pvc is None,
        state=lambda pvc: "deleted" if pvc is None else f"finalizers: {pvc['metadata'].get('finalizers')}",
        timeout_s=bench.timeout_s,
    )
    if bench.storage_class.reclaim_policy == "Delete":
        wait_volume_gone(bench.api, volume, timeout_s=bench.timeout_s)
    else:
        wait_volume_released(bench.api, volume, timeout_s=bench.timeout_s)
