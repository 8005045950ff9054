"""The owner of a volume: proven by what Kubernetes itself wrote on it, never guessed from a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL, labels, name_of, slim_metadata
from acceptance.cluster.resources import VOLUMES, Object

# https://kubernetes.io/docs/reference/labels-annotations-taints/#pv-kubernetes-io-bound-by-controller
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


def why_foreign(volume: Object, *, claim_time: str) -> str | None:
    """Return why a volume was not provisioned for the claim that holds it, created at `claim_time`; None if it was.

    A provisioner names itself and the claim on a volume that it creates. Kubernetes marks a volume that it found and
    bound to a claim. Both write times so that they sort as text.
    """
    annotations = volume["metadata"].get("annotations") or {}
    if BOUND_BY_CONTROLLER in annotations:
        return "it existed already, and Kubernetes bound it to the PVC"
    if PROVISIONED_BY not in annotations:
        return "no provisioner created it"
    if volume["metadata"]["creationTimestamp"] < claim_time:
        return "it existed before"
    return None


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """The volumes of claims in a run's namespace. `kept_volumes`: those not surely the run's, each with the reason."""

    own: tuple[Object, ...]
    kept_volumes: tuple[tuple[Object, str], ...]


def belongings(
    volumes: Iterable[Object],
    *,
    run_id: str,
    since: str,
    own_claims: Collection[str],
    other_claims: Collection[str] = (),
) -> Belongings:
    """Return which of the volumes are the run's.

    A volume is proven to be the run's if it was provisioned after `since`, when the run began, and carries the run's
    label or is held by a claim of the run (`own_claims`: their uids; `other_claims`: those of claims that another party
    created there). A volume that was provisioned there and is deleted with its claim anyway counts as the run's:
    nothing is done to it.
    """
    own, kept_volumes = [], []
    for volume in volumes:
        why, uid = why_foreign(volume, claim_time=since), (volume["spec"].get("claimRef") or {}).get("uid")
        is_own = (volume["metadata"].get("labels") or {}).get(RUN_LABEL) == run_id or uid in own_claims
        if why is None and uid in other_claims:
            why = "its PVC lacks the run's label"
        if why is None and not is_own and volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
            why = "it lacks the run's label, and its PVC no longer exists"
        if why is None:
            own.append(volume)
        else:
            kept_volumes.append((volume, why))
    return Belongings(own=tuple(own), kept_volumes=tuple(kept_volumes))


def why_kept(volume: Object, why: str) -> str:
    """Return a message that the volume is left as it is, for the user who has to inspect it."""
    claim = volume["spec"].get("claimRef") or {}
    name = name_of(volume)
    return (
        f"PV {name} of PVC {claim.get('namespace')}/{claim.get('name')} is not deleted: {why}; inspect it with "
        f"`kubectl describe pv {name}`"
    )


def slim_volume(volume: Object) -> Object:
    """Return what the suite needs of a volume: its owner, its state, its finalizers. Clusters have many volumes."""
    claim = volume["spec"].get("claimRef")
    metadata = volume["metadata"]
    annotation_keys = (BOUND_BY_CONTROLLER, PROVISIONED_BY)
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key in annotation_keys}
    label = (metadata.get("labels") or {}).get(RUN_LABEL)
    return {
        "metadata": slim_metadata(volume, "creationTimestamp", "deletionTimestamp", "finalizers")
        | ({"annotations": annotations} if annotations else {})
        | ({"labels": {RUN_LABEL: label}} if label else {}),
        "spec": {
            "claimRef": claim and {key: claim.get(key) for key in ("namespace", "name", "uid")},
            "persistentVolumeReclaimPolicy": volume["spec"].get("persistentVolumeReclaimPolicy"),
        },
        "status": {"phase": (volume.get("status") or {}).get("phase", "unknown")},
    }


def label_volume(api: Api, volume: Object, *, run_id: str) -> None:
    """Have the volume carry the run's label, which proves its owner after its PVC is deleted."""
    if (volume["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        api.patch(VOLUMES, name_of(volume), {"metadata": {"labels": labels(run_id)}})


def set_policy(api: Api, volume: Object, policy: str) -> None:
    """Set the reclaim policy, which decides on the volume when its claim is deleted."""
    if volume["spec"].get("persistentVolumeReclaimPolicy") != policy:
        api.patch(VOLUMES, name_of(volume), {"spec": {"persistentVolumeReclaimPolicy": policy}})


def prepare_for_release(api: Api, volume: Object, *, run_id: str, claim_time: str) -> None:
    """Have a foreign volume outlive a claim of the run, and an own one that stays carry the run's label.

    To be called before the claim is deleted.
    """
    if why_foreign(volume, claim_time=claim_time) is not None:
        set_policy(api, volume, "Retain")
    elif volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
        label_volume(api, volume, run_id=run_id)
