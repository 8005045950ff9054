"""The free space of Longhorn's disks, in volumes of a class with all their replicas.

Sources: `IsSchedulableToDisk` of longhorn-manager's replica scheduler, which places no replica beyond what is computed
here, and https://longhorn.io/docs/1.10.0/references/settings/#scheduling for the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import GROUP, LONGHORN_NODES, SETTINGS, VERSION
from acceptance.cluster.permissions import Permission, may
from acceptance.trials.rebuild.longhorn_api import longhorn_settings
from acceptance.trials.rebuild.longhorn_objects import Object, takes_replicas

OVER_PROVISIONING, MINIMAL_AVAILABLE = "storage-over-provisioning-percentage", "storage-minimal-available-percentage"
DEFAULTS = {OVER_PROVISIONING: 100, MINIMAL_AVAILABLE: 25}
REPLICAS = 3
"""The number of replicas of a class that does not state it."""


def longhorn_space(api: Api, namespace: str, *, parameters: Mapping[str, str]) -> int | None:
    """Return the bytes of volumes of a class with these `parameters`; None if they are not known, or may not be
    read."""
    permissions = [
        Permission(resource=resource, verbs=("list",), namespace=namespace) for resource in (LONGHORN_NODES, SETTINGS)
    ]
    if VERSION not in api.group_versions(GROUP) or not may(api, permissions):
        return None
    values = longhorn_settings(api, namespace, names=list(DEFAULTS))
    settings = {name: _number(values.get(name), default) for name, default in DEFAULTS.items()}
    free = free_by_node(api.list(LONGHORN_NODES, namespace=namespace), parameters=parameters, settings=settings)
    replicas = _number(parameters.get("numberOfReplicas"), REPLICAS) or REPLICAS
    return None if free is None else space_for_volumes(list(free.values()), replicas=replicas)


def free_by_node(
    nodes: Sequence[Object], *, parameters: Mapping[str, str], settings: Mapping[str, int]
) -> dict[str, int] | None:
    """Return the bytes that replicas of a class may still take on each node that takes any; None if no disk reports its
    state."""
    reporting = [node for node in nodes if (node.get("status") or {}).get("diskStatus")]
    if not reporting:
        return None
    usable = [node for node in reporting if takes_replicas(node) and _has(node["spec"], parameters.get("nodeSelector"))]
    return {
        str(node["metadata"]["name"]): sum(
            _free(node["spec"]["disks"][name], disk, settings)
            for name, disk in node["status"]["diskStatus"].items()
            if _takes(node, name, disk) and _has(node["spec"]["disks"][name], parameters.get("diskSelector"))
        )
        for node in usable
    }


def space_for_volumes(free: Sequence[int], *, replicas: int) -> int:
    """Return the bytes of volumes that fit, by the free bytes on each node; their replicas are on different nodes.

    However many of the nodes hold a replica of each volume, all others must hold the rest. With fewer nodes than
    replicas several are on one, if Longhorn creates them at all.
    """
    if len(free) < replicas:
        return sum(free) // replicas
    largest_first = sorted(free, reverse=True)
    return min(sum(largest_first[count:]) // (replicas - count) for count in range(replicas))


def _number(text: str | None, default: int) -> int:
    """Return the number, or the default: text that Longhorn itself would not read as a number is none here either."""
    return int(text) if text is not None and text.isdecimal() else default


def _takes(node: Object, name: str, disk: Object) -> bool:
    spec = (node["spec"].get("disks") or {}).get(name) or {}
    conditions = {condition.get("type"): condition.get("status") for condition in disk.get("conditions") or []}
    return (
        bool(spec.get("allowScheduling"))
        and not spec.get("evictionRequested")
        and conditions.get("Schedulable") == "True"
    )


def _free(spec: Object, disk: Object, settings: Mapping[str, int]) -> int:
    """Return the bytes not yet promised to others, or those beyond what Longhorn leaves free, whichever is less."""
    maximum = int(disk.get("storageMaximum") or 0)
    promised_bytes = int(disk.get("storageScheduled") or 0)
    may_promise = (maximum - int(spec.get("storageReserved") or 0)) * settings[OVER_PROVISIONING] // 100
    there = int(disk.get("storageAvailable") or 0) - maximum * settings[MINIMAL_AVAILABLE] // 100
    return max(0, min(may_promise - promised_bytes, there))


def _has(item: Object, selector: str | None) -> bool:
    """Return whether a node or disk has all tags that the class requires."""
    return {tag.strip() for tag in (selector or "").split(",")} - {""} <= set(item.get("tags") or [])
