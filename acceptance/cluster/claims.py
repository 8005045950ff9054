"""PVCs and the volumes behind them: created, bound, deleted."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from acceptance.cluster.api import Api
from acceptance.cluster.events import last_warning, recent_events, warnings_about
from acceptance.cluster.objects import GROUP_LABEL, MAX_NAMES, labels, metadata, name_of
from acceptance.cluster.ownership import label_volume, prepare_for_release, set_policy, why_foreign
from acceptance.cluster.refusals import (
    Refusal,
    read_refusal,
    refuses_access_mode,
    refuses_block,
    refuses_copy,
    refuses_larger_copy,
)
from acceptance.cluster.resources import CLAIMS, STORAGE_CLASSES, VOLUMES, Object
from acceptance.cluster.volumes import unclaimed_volumes
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure, NotTried, StorageFailure, Unsupported

# Refusals before a claim fails: a single one may be momentary, for example while a class or a driver is changed.
_FINAL_REFUSALS = 2

AccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"]
# The capability that a class lacks if it refuses a claim of that mode.
_CAPABILITY_OF: dict[AccessMode, str] = {
    "ReadWriteMany": "read-write-many",
    "ReadOnlyMany": "read-only-many",
    "ReadWriteOncePod": "read-write-once-pod",
}
# The capability that a class lacks if it fills no volume from such a source.
_COPY_OF = {"PersistentVolumeClaim": "clone", "VolumeSnapshot": "snapshot"}


class NeverBound(StorageFailure):
    """A claim that had no volume in time, or will never have one."""


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """A claim, or a snapshot of one, in the same namespace; `group`: the API group of its kind, None for the core's.

    `smaller`: it is smaller than the volume to fill.
    """

    kind: str
    name: str
    group: str | None = None
    smaller: bool = False


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of the run. `size` in bytes; `block`: a raw block device instead of a file system.

    `mode_of_run`: the run requests the access mode, not a trial of that mode. `source`: the data source that fills the
    volume. `group`: the name of the group snapshot that will be taken of it and others; empty: none.
    """

    name: str
    namespace: str
    storage_class: str
    size: int
    run_id: str
    block: bool = False
    access_mode: AccessMode = "ReadWriteOnce"
    mode_of_run: bool = False
    source: DataSource | None = None
    group: str = ""


def require_no_unclaimed_volumes(api: Api, *, storage_classes: Collection[str]) -> None:
    """Raise EnvironmentFailure if volumes of one of the classes wait for a claim.

    Kubernetes would bind the run's claim to one of these, with the data on it, instead of a new volume.
    """
    for storage_class, waiting in sorted(unclaimed_volumes(api, storage_classes=storage_classes).items()):
        more = f" and {len(waiting) - MAX_NAMES} more" if len(waiting) > MAX_NAMES else ""
        raise EnvironmentFailure(
            f"PVs of StorageClass {storage_class} wait for a PVC and may hold data: "
            f"{', '.join(waiting[:MAX_NAMES])}{more}; a PVC of this suite would be bound to one of them instead of a "
            "new PV, so nothing was created; bind them, reserve them with spec.claimRef or remove them first"
        )


def create_claim(api: Api, claim: Claim) -> float:
    """Request a new volume, and return the time of the request, in s of the monotonic clock.

    The volume may be provisioned only when a pod uses it, as the class's binding mode says. The time is taken after the
    search for volumes of others, which takes long in a large cluster and is not the storage's. Raises
    EnvironmentFailure if the claim could be bound to a volume that existed before.
    """
    require_no_unclaimed_volumes(api, storage_classes=[claim.storage_class])
    asked_s = time.monotonic()
    ask_for_claim(api, claim)
    return asked_s


def ask_for_claim(api: Api, claim: Claim) -> None:
    """Create the PVC without checking for unclaimed volumes: for many at the same time.

    The caller has checked, and verifies the volume that binds.
    """
    more = {"labels": labels(claim.run_id) | {GROUP_LABEL: claim.group}} if claim.group else {}
    body = {"metadata": metadata(claim.name, run_id=claim.run_id) | more, "spec": claim_spec(claim)}
    api.create(CLAIMS, body, namespace=claim.namespace)


def claim_spec(claim: Claim) -> Object:
    """Return the spec of the PVC as the API server expects it."""
    spec: Object = {
        "accessModes": [claim.access_mode],
        "storageClassName": claim.storage_class,
        "volumeMode": "Block" if claim.block else "Filesystem",
        "resources": {"requests": {"storage": str(claim.size)}},
    }
    if claim.source is not None:
        spec["dataSource"] = {"apiGroup": claim.source.group, "kind": claim.source.kind, "name": claim.source.name}
    return spec


def wait_bound(api: Api, claim: Claim, *, timeout_s: float) -> str:
    """Wait until the claim is bound, and return the name of its volume, which then carries the run's label.

    Raises NeverBound with the last state and the claim's events, EnvironmentFailure for a volume that was not
    provisioned for the claim; that volume's reclaim policy is set to Retain.
    """
    bound = wait_for(
        f"PVC {claim.name} of StorageClass {claim.storage_class} to be bound",
        look=lambda: api.get(CLAIMS, claim.name, namespace=claim.namespace),
        ready=lambda pvc: pvc["status"].get("phase") == "Bound",
        state=lambda pvc: f"phase {pvc['status'].get('phase', 'unknown')}",
        fatal=lambda pvc: _loss_error(pvc, claim) or failed_for_good(api, claim),
        events=lambda: recent_events(api, namespace=claim.namespace, name=claim.name),
        timeout_s=timeout_s,
        failure=NeverBound,
    )
    volume = api.get(VOLUMES, str(bound["spec"]["volumeName"]))
    why = why_foreign(volume, claim_time=bound["metadata"]["creationTimestamp"])
    if why is not None:
        set_policy(api, volume, "Retain")
        raise EnvironmentFailure(
            f"PVC {claim.name} was bound to PV {name_of(volume)}, which was not provisioned for it: {why}. The "
            "suite leaves it alone (reclaim policy Retain) and gives no verdict, because the PV does not belong "
            "to this run"
        )
    label_volume(api, volume, run_id=claim.run_id)
    return name_of(volume)


def is_proven(api: Api, claim: Claim, *, timeout_s: float) -> bool:
    """Return whether the claim is bound to its own volume; False while its class lets it wait for its first pod.

    Raises what `wait_bound` raises: a claim that does not wait for a pod is bound before it has one.
    """
    pvc = api.get(CLAIMS, claim.name, namespace=claim.namespace)
    if pvc["status"].get("phase") != "Bound" and _waits_for_pod(api, claim.storage_class):
        return False
    wait_bound(api, claim, timeout_s=timeout_s)
    return True


def ask_to_grow(api: Api, claim: Claim, *, size: int) -> None:
    """Request a larger volume, of `size` bytes. Raises ApiError if that is refused."""
    body = {"spec": {"resources": {"requests": {"storage": str(size)}}}}
    api.patch(CLAIMS, claim.name, body, namespace=claim.namespace)


def _waits_for_pod(api: Api, storage_class: str) -> bool:
    modes = {name_of(item): item.get("volumeBindingMode") for item in api.list(STORAGE_CLASSES)}
    return modes.get(storage_class) == "WaitForFirstConsumer"


def _loss_error(pvc: Object, claim: Claim) -> StorageFailure | None:
    if pvc["status"].get("phase") == "Lost":
        return NeverBound(f"PVC {claim.name} lost its PV {pvc['spec'].get('volumeName')}")
    return None


def failed_for_good(api: Api, claim: Claim) -> StorageFailure | None:
    """Return why the claim will never have a volume, from its events, or None.

    Returns Unsupported if its class lacks the capability, NotTried if it refuses the access mode of the run: nothing
    else is known of the class then. An uncertain cause is None: the wait continues, and fails at its deadline.
    """
    warnings = warnings_about(api, namespace=claim.namespace, name=claim.name, reason="ProvisioningFailed")
    if not warnings:
        return None
    refusals = [read_refusal(warning.message, names=_names_in(claim)) for warning in warnings]
    if (lacks := _lacking(claim, refusals[-1])) is not None:
        kind = NotTried if claim.mode_of_run and _lacks_mode(claim, refusals[-1]) else Unsupported
        return kind(f"{lacks}: {warnings[-1].line}")
    times = sum(warning.times for warning, refusal in zip(warnings, refusals, strict=True) if refusal.is_final)
    if not refusals[-1].is_final or times < _FINAL_REFUSALS:
        return None
    return NeverBound(
        f"PVC {claim.name} of StorageClass {claim.storage_class} cannot be provisioned: {warnings[-1].line}"
    )


def _names_in(claim: Claim) -> list[str]:
    """Return names that events about the claim contain: one of them may read like a reason, as a class `rwx-fast`."""
    return [claim.storage_class, claim.name, claim.namespace, claim.source.name if claim.source else ""]


def _lacking(claim: Claim, refusal: Refusal) -> str | None:
    """Return the capability that the class lacks according to the refusal, as the beginning of an error; or None."""
    of_class = f"StorageClass {claim.storage_class}"
    if claim.block and refuses_block(refusal):
        return f"capability 'raw block volumes': {of_class} does not support it"
    if _lacks_mode(claim, refusal):
        of_run = f", the access mode of this run ({claim.access_mode})" if claim.mode_of_run else ""
        return f"capability '{_CAPABILITY_OF[claim.access_mode]}': {of_class} does not support it{of_run}"
    if claim.source is None:
        return None
    if refuses_copy(refusal, claim.source.kind):
        return f"capability '{_COPY_OF.get(claim.source.kind, 'copies')}': {of_class} does not support it"
    if claim.source.smaller and refuses_larger_copy(refusal):
        return f"capability 'larger copies': {of_class} creates copies only in the size of their source"
    return None


def _lacks_mode(claim: Claim, refusal: Refusal) -> bool:
    return claim.access_mode in _CAPABILITY_OF and refuses_access_mode(refusal, claim.access_mode)


def why_unbound(api: Api, claim: Claim) -> str | None:
    """Return the last warning about a claim that is not bound, or None; one about a bound claim is out of date."""
    pvc = api.find(CLAIMS, claim.name, namespace=claim.namespace)
    if pvc is None or pvc["status"].get("phase") == "Bound":
        return None
    return last_warning(api, namespace=claim.namespace, name=claim.name)


def delete_claim(api: Api, claim: Claim) -> None:
    """Request the claim's deletion; a volume that is not the run's outlives it."""
    pvc = api.find(CLAIMS, claim.name, namespace=claim.namespace) or {}
    volume = api.find(VOLUMES, name) if (name := (pvc.get("spec") or {}).get("volumeName")) else None
    if volume is not None:
        claim_time = pvc["metadata"]["creationTimestamp"]
        prepare_for_release(api, volume, run_id=claim.run_id, claim_time=claim_time)
    api.delete(CLAIMS, claim.name, namespace=claim.namespace)


def remove_claim(api: Api, claim: Claim, *, timeout_s: float) -> None:
    """Delete the claim, and wait until it no longer exists. Raises StorageFailure with its finalizers."""
    delete_claim(api, claim)
    wait_for(
        f"PVC {claim.name} to be deleted",
        look=lambda: api.find(CLAIMS, claim.name, namespace=claim.namespace),
        ready=lambda pvc: pvc is None,
        state=_describe_deletion,
        events=lambda: recent_events(api, namespace=claim.namespace, name=claim.name),
        timeout_s=timeout_s,
    )


def wait_volume_gone(api: Api, volume: str, *, timeout_s: float) -> None:
    """Wait until the volume no longer exists. Raises StorageFailure with its finalizers."""
    wait_for(
        f"PV {volume} to be deleted",
        look=lambda: api.find(VOLUMES, volume),
        ready=lambda pv: pv is None,
        state=_describe_deletion,
        events=lambda: recent_events(api, namespace="default", name=volume),
        timeout_s=timeout_s,
    )


def wait_volume_released(api: Api, volume: str, *, timeout_s: float) -> None:
    """Wait until the volume is kept without a claim, as reclaim policy Retain promises.

    Raises StorageFailure, immediately if the volume no longer exists.
    """

    def deletion_error(pv: Object | None) -> StorageFailure | None:
        return StorageFailure(f"PV {volume} was deleted although its StorageClass retains PVs") if pv is None else None

    wait_for(
        f"PV {volume} to be released and kept",
        look=lambda: api.find(VOLUMES, volume),
        ready=lambda pv: pv is not None and pv["status"].get("phase") == "Released",
        state=_describe_deletion,
        fatal=deletion_error,
        timeout_s=timeout_s,
    )


def _describe_deletion(item: Object | None) -> str:
    if item is None:
        return "does not exist"
    finalizers = ", ".join(item["metadata"].get("finalizers") or []) or "none"
    deletion = "deletion requested" if item["metadata"].get("deletionTimestamp") else "no deletion requested"
    return f"phase {item.get('status', {}).get('phase', 'unknown')}, {deletion}, finalizers: {finalizers}"
