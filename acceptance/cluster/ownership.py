"""Whose a volume is: proven by what Kubernetes itself wrote on it, never guessed from a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL, labels, name_of, slim_metadata
from acceptance.cluster.resources import VOLUMES, Object

# https://kubernetes.io/docs/reference/labels-annotations-taints/#pv-kubernetes-io-bound-by-controller
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


def why_foreign(volume: Object, *, claimed: str) -> str | None:
    """Why a volume was not provisioned for the claim that holds it, made at `claimed`; None where it was.

    A provisioner names itself and the claim on a volume when it makes it. Kubernetes marks a volume that it found and
    gave to a claim. Both write times so that they sort as text.
    """
    annotations = volume["metadata"].get("annotations") or {}
    if BOUND_BY_CONTROLLER in annotations:
        return "it existed already, and Kubernetes bound it to the PVC"
    if PROVISIONED_BY not in annotations:
        return "no provisioner made it"
    if volume["metadata"]["creationTimestamp"] < claimed:
        return "it existed before"
    return None


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """The volumes of claims in a run's namespace. `kept`: those that are not surely the run's, each with the reason."""

    own: tuple[Object, ...]
    kept: tuple[tuple[Object, str], ...]


def belongings(
    volumes: Iterable[Object], *, run_id: str, since: str, ours: Collection[str], others: Collection[str] = ()
) -> Belongings:
    """What of the volumes is the run's.

    Proven is what was provisioned after `since`, when the run began, and carries the run's label or is held by a claim
    of the run (`ours`: their uids; `others`: those of claims that somebody else made there). What was provisioned there
    and goes with its claim anyway is counted with it: nothing is done to it.
    """
    own, kept = [], []
    for volume in volumes:
        why, uid = why_foreign(volume, claimed=since), (volume["spec"].get("claimRef") or {}).get("uid")
        known = (volume["metadata"].get("labels") or {}).get(RUN_LABEL) == run_id or uid in ours
        if why is None and uid in others:
            why = "its PVC does not carry the run's label"
        if why is None and not known and volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
            why = "it does not carry the run's label, and its PVC is gone"
        if why is None:
            own.append(volume)
        else:
            kept.append((volume, why))
    return Belongings(own=tuple(own), kept=tuple(kept))


def why_kept(volume: Object, why: str) -> str:
    """That the volume is left as it is, for whoever has to look."""
    claim = volume["spec"].get("claimRef") or {}
    name = name_of(volume)
    return (
        f"PV {name} of PVC {claim.get('namespace')}/{claim.get('name')} is not removed: {why}; inspect it with "
        f"`kubectl describe pv {name}`"
    )


def slim_volume(volume: Object) -> Object:
    """What the suite needs to know of a volume: whose it is and was, its state, what holds it. Clusters have many."""
    claim = volume["spec"].get("claimRef")
    metadata = volume["metadata"]
    known = (BOUND_BY_CONTROLLER, PROVISIONED_BY)
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key in known}
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
    """Have the volume carry the run's label, which proves whose it was when its PVC is gone."""
    if (volume["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        api.patch(VOLUMES, name_of(volume), {"metadata": {"labels": labels(run_id)}})


def set_policy(api: Api, volume: Object, policy: str) -> None:
    """Have what becomes of the volume, when its claim goes, be that."""
    if volume["spec"].get("persistentVolumeReclaimPolicy") != policy:
        api.patch(VOLUMES, name_of(volume), {"spec": {"persistentVolumeReclaimPolicy": policy}})


def prepare_for_release(api: Api, volume: Object, *, run_id: str, claimed: str) -> None:
    """Before a claim of the run goes: have a volume that is not the run's outlive it, and be known if it stays."""
    if why_foreign(volume, claimed=claimed) is not None:
        set_policy(api, volume, "Retain")
    elif volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
        label_volume(api, volume, run_id=run_id)
