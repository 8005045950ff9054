"""The volumes that the suite searches among those of a whole cluster, in few requests however many there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from acceptance.cluster.api import PAGE, Api
from acceptance.cluster.columns import BEING_DELETED, Columns
from acceptance.cluster.objects import name_of
from acceptance.cluster.ownership import slim_volume
from acceptance.cluster.resources import VOLUMES, Object

# https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-beta-kubernetes-io-storage-class
_OLD_CLASS = "volume.beta.kubernetes.io/storage-class"
# Any other status, as of a volume that is being deleted, counts as one that waits: better once too often.
_WAITS_NOT = ("Bound", "Released", "Failed")


class VolumeRow(NamedTuple):
    """A volume. `status`: its phase, or that it is being deleted; `claim`: NAMESPACE/NAME, without a slash for none."""

    name: str
    status: str
    claim: str
    storage_class: str


def _row(volume: Object) -> VolumeRow:
    claim = volume["spec"].get("claimRef")
    annotations = volume["metadata"].get("annotations") or {}
    phase = (volume.get("status") or {}).get("phase", "")
    return VolumeRow(
        name=name_of(volume),
        status=BEING_DELETED if volume["metadata"].get("deletionTimestamp") else phase,
        claim=f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        storage_class=annotations.get(_OLD_CLASS) or volume["spec"].get("storageClassName") or "",
    )


COLUMNS = Columns(resource=VOLUMES, names=("Name", "Status", "Claim", "StorageClass"), row=VolumeRow._make, of=_row)


def unclaimed_volumes(api: Api, *, storage_classes: Collection[str]) -> dict[str, list[str]]:
    """Return the names of volumes that Kubernetes would bind to a claim of these classes, by class, if there are any.

    They are current: the API server's cache is not used. Raises ApiError, ApiUnreachable.
    """
    names_by_class: dict[str, list[str]] = {}
    for row in api.rows(COLUMNS):
        if row.storage_class in storage_classes and "/" not in row.claim and row.status not in _WAITS_NOT:
            names_by_class.setdefault(row.storage_class, []).append(row.name)
    return names_by_class


def claimed_names(api: Api, in_scope: Callable[[str], bool]) -> tuple[list[str], int]:
    """Return the names of volumes whose claim is, or was, in a namespace `in_scope`; and the number of all volumes.

    Raises ApiError, ApiUnreachable.
    """
    names, there_are = [], 0
    for row in api.rows(COLUMNS):
        there_are += 1
        if in_scope(row.claim.partition("/")[0]):
            names.append(row.name)
    return names, there_are


def read_volumes(api: Api, names: Sequence[str], in_scope: Callable[[str], bool], *, there_are: int) -> list[Object]:
    """Return those of these volumes that are still as `claimed_names` found them, slim.

    Reads one by one, or all that `there_are` if that takes fewer requests. Raises ApiError, ApiUnreachable.
    """
    volumes: Iterable[Object | None]
    if len(names) <= math.ceil(there_are / PAGE):
        volumes = (api.find(VOLUMES, name) for name in names)
    else:
        name_set = frozenset(names)
        volumes = (volume for volume in api.iterate(VOLUMES) if name_of(volume) in name_set)
    return [slim_volume(volume) for volume in volumes if volume is not None and in_scope(claimed_in(volume))]


def volumes_in(api: Api, in_scope: Callable[[str], bool]) -> list[Object]:
    """Return the volumes that a claim in a namespace `in_scope` holds, or held last, slim.

    Whether one is a run's, `ownership` decides. Raises ApiError, ApiUnreachable.
    """
    names, there_are = claimed_names(api, in_scope)
    return read_volumes(api, names, in_scope, there_are=there_are)


def volumes_of(api: Api, *, namespace: str) -> list[Object]:
    """Return the volumes that a claim in the namespace holds, or held last, slim."""
    return volumes_in(api, lambda claim_namespace: claim_namespace == namespace)


def claimed_in(volume: Object) -> str:
    """Return the namespace of the claim that holds the volume, or held it last; empty if none did."""
    return str((volume["spec"].get("claimRef") or {}).get("namespace") or "")
