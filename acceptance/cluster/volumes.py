"""The volumes that the suite looks for among those of a whole cluster, in few requests however many there are."""

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
# Whatever else is printed, as for a volume that is being deleted, counts as one that waits: better once too often.
_WAITS_NOT = ("Bound", "Released", "Failed")


class VolumeRow(NamedTuple):
    """A volume. `status`: its phase, or that it is being deleted; `claim`: NAMESPACE/NAME, no such thing for none."""

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


def unclaimed(api: Api, *, storage_classes: Collection[str]) -> dict[str, list[str]]:
    """The names of the volumes that Kubernetes would give to a claim of these classes, by class; only classes with any.

    As of now: nothing that the API server remembers is used. Raises ApiError, ApiUnreachable.
    """
    found: dict[str, list[str]] = {}
    for row in api.rows(COLUMNS):
        if row.storage_class in storage_classes and "/" not in row.claim and row.status not in _WAITS_NOT:
            found.setdefault(row.storage_class, []).append(row.name)
    return found


def claimed_names(api: Api, wanted: Callable[[str], bool]) -> tuple[list[str], int]:
    """The names of the volumes of which a claim in a `wanted` namespace is, or was; and how many volumes there are.

    Raises ApiError, ApiUnreachable.
    """
    names, there_are = [], 0
    for row in api.rows(COLUMNS):
        there_are += 1
        if wanted(row.claim.partition("/")[0]):
            names.append(row.name)
    return names, there_are


def volumes_named(api: Api, names: Sequence[str], wanted: Callable[[str], bool], *, there_are: int) -> list[Object]:
    """Those of these volumes that are still as `claimed_names` found them, slim.

    One by one, or among all that `there_are` where that takes fewer requests. Raises ApiError, ApiUnreachable.
    """
    found: Iterable[Object | None]
    if len(names) <= math.ceil(there_are / PAGE):
        found = (api.find(VOLUMES, name) for name in names)
    else:
        known = frozenset(names)
        found = (each for each in api.each(VOLUMES) if name_of(each) in known)
    return [slim_volume(each) for each in found if each is not None and wanted(claimed_in(each))]


def volumes_in(api: Api, wanted: Callable[[str], bool]) -> list[Object]:
    """What a claim in a `wanted` namespace holds, or held last, slim. Whether it is a run's, `ownership` says.

    Raises ApiError, ApiUnreachable.
    """
    names, there_are = claimed_names(api, wanted)
    return volumes_named(api, names, wanted, there_are=there_are)


def volumes_of(api: Api, *, namespace: str) -> list[Object]:
    """The same for one namespace."""
    return volumes_in(api, lambda each: each == namespace)


def claimed_in(volume: Object) -> str:
    """The namespace of the claim that holds the volume, or held it last; empty where none did."""
    return str((volume["spec"].get("claimRef") or {}).get("namespace") or "")
