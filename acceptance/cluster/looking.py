"""Lists of the storage objects of a cluster, by an account that may not list everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from acceptance.cluster.api import Api, whole
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.group_snapshots import group_kinds
from acceptance.cluster.nodes import slim_node
from acceptance.cluster.resources import (
    CSI_DRIVERS,
    CSI_NODES,
    GROUP_CLASSES,
    NODES,
    PODS,
    SNAPSHOT_CLASSES,
    STORAGE_CAPACITIES,
    STORAGE_CLASSES,
    Object,
    Resource,
)

CLASSES, NODE_LABELS, RUNNING, GROUPS = "classes", "nodes", "pods", "group_classes"
KINDS: Mapping[str, Resource] = {
    CLASSES: STORAGE_CLASSES,
    NODE_LABELS: NODES,
    "drivers": CSI_DRIVERS,
    "csi_nodes": CSI_NODES,
    "capacities": STORAGE_CAPACITIES,
    "snapshot_classes": SNAPSHOT_CLASSES,
    GROUPS: GROUP_CLASSES,
    RUNNING: PODS,
}


@dataclass(frozen=True, kw_only=True)
class Look:
    """The objects by kind, as the API returns them; `unread`: the kinds that could not be listed, with the reason."""

    objects: Mapping[str, list[Object]]
    unread: Mapping[str, str]


def look_at_storage(api: Api) -> Look:
    """List the objects that describe storage; change nothing. Raises ApiError if StorageClasses cannot be listed."""
    objects: dict[str, list[Object]] = {}
    unread: dict[str, str] = {}
    for kind, resource in KINDS.items():
        if kind == GROUPS:
            if (kinds := group_kinds(api)) is None:  # as in most clusters: there are no such objects
                objects[kind] = []
                continue
            resource = kinds.classes
        try:
            objects[kind] = api.list(
                resource, slim=_SLIM.get(kind, whole), fields="status.phase=Running" if kind == RUNNING else ""
            )
        except ApiError as error:
            if kind == CLASSES or error.status not in (403, 404):
                raise
            unread[kind] = "this account may not list them" if error.status == 403 else "this cluster has no such kind"
    return Look(objects=objects, unread=unread)


def _slim_pod(pod: Object) -> Object:
    """Return the parts of a pod that may identify a provisioner."""
    keys = ("name", "image", "args", "command", "env")
    containers = (pod.get("spec") or {}).get("containers") or []
    slim = [{key: container[key] for key in keys if key in container} for container in containers]
    return {"metadata": {"name": pod["metadata"]["name"]}, "spec": {"containers": slim}}


# There may be thousands of pods, and a node with its images is large.
_SLIM: Mapping[str, Callable[[Object], Object]] = {RUNNING: _slim_pod, NODE_LABELS: slim_node}
