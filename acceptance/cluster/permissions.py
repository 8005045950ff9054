"""The permissions that the suite needs, checked all together before anything is created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import (
    ACCESS_REVIEWS,
    ATTACHMENTS,
    ATTRIBUTES_CLASSES,
    CLAIMS,
    CONFIG_MAPS,
    CSI_DRIVERS,
    CSI_NODES,
    EVENTS,
    GROUP_CLASSES,
    GROUP_CONTENTS,
    GROUP_SNAPSHOTS,
    JOBS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    SECRETS,
    SNAPSHOT_CLASSES,
    SNAPSHOT_CONTENTS,
    STATEFUL_SETS,
    STORAGE_CAPACITIES,
    STORAGE_CLASSES,
    VOLUME_SNAPSHOTS,
    VOLUMES,
    Resource,
)
from acceptance.text.errors import EnvironmentFailure


@dataclass(frozen=True, kw_only=True)
class Permission:
    """Verbs on one kind of object; in all namespaces or in `namespace`, on all objects or on that `name`.

    `where_served`: needed only on clusters that serve the kind's API group.
    """

    resource: Resource
    verbs: tuple[str, ...]
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    where_served: bool = False

    def __str__(self) -> str:
        kind = self.resource.plural + (f"/{self.subresource}" if self.subresource else "")
        if self.resource.group:
            kind = f"{kind}.{self.resource.group}"
        return " ".join(filter(None, [kind, self.name])) + (f" in namespace {self.namespace}" if self.namespace else "")


RUN_PERMISSIONS = (
    Permission(resource=NAMESPACES, verbs=("get", "list", "create", "delete")),
    Permission(resource=PODS, verbs=("get", "list", "create", "delete")),
    Permission(resource=PODS, subresource="log", verbs=("get",)),
    Permission(resource=CLAIMS, verbs=("get", "list", "create", "delete")),
    Permission(resource=CONFIG_MAPS, verbs=("create",)),
    Permission(resource=EVENTS, verbs=("list",)),
    Permission(resource=LEASES, verbs=("get", "create", "patch")),
    Permission(resource=VOLUMES, verbs=("get", "list", "patch")),
    Permission(resource=NODES, verbs=("get", "list")),
    Permission(resource=STORAGE_CLASSES, verbs=("list",)),
    Permission(resource=STORAGE_CAPACITIES, verbs=("list",)),
    Permission(resource=ATTACHMENTS, verbs=("list",)),
)


WITH_PULL_SECRET = (Permission(resource=SECRETS, verbs=("create",)),)


def for_pull_secret(reference: str) -> tuple[Permission, ...]:
    """Return the permissions to copy the secret NAMESPACE/NAME: to read it, and create one in the run's namespace."""
    namespace, _, name = reference.partition("/")
    return (Permission(resource=SECRETS, verbs=("get",), namespace=namespace, name=name), *WITH_PULL_SECRET)


# Permissions that some capabilities need besides `features`; without them they are skipped or tested in part.
DELETES_VOLUMES = (Permission(resource=VOLUMES, verbs=("delete",)),)
READS_STATISTICS = (Permission(resource=NODES, subresource="proxy", verbs=("get",)),)

STATEFUL = (
    Permission(resource=STATEFUL_SETS, verbs=("list", "create", "patch", "delete")),
    Permission(resource=JOBS, verbs=("create", "patch", "delete")),
)
# Permissions that only some tests need, by their marker.
OF_SUBJECT = {
    "scale": (*STATEFUL, Permission(resource=PODS, verbs=("watch", "patch"))),
    "control_plane": (
        *STATEFUL,
        *(
            Permission(resource=resource, verbs=("watch",))
            for resource in (PODS, CLAIMS, EVENTS, VOLUMES, NODES, ATTACHMENTS)
        ),
    ),
    "drain": (Permission(resource=PODS, subresource="eviction", verbs=("create",)),),
    "control_operations": (
        Permission(resource=CLAIMS, verbs=("watch", "patch")),
        *(Permission(resource=resource, verbs=("watch",)) for resource in (PODS, VOLUMES, ATTACHMENTS)),
        Permission(resource=SNAPSHOT_CLASSES, verbs=("list",), where_served=True),
        Permission(resource=VOLUME_SNAPSHOTS, verbs=("get", "list", "watch", "create", "delete"), where_served=True),
        Permission(resource=SNAPSHOT_CONTENTS, verbs=("get", "list", "watch", "patch", "delete"), where_served=True),
    ),
    "many_files": (Permission(resource=CSI_DRIVERS, verbs=("get",)),),
    "out_of_service": (Permission(resource=NODES, verbs=("patch",)),),
    "features": (
        Permission(resource=CLAIMS, verbs=("patch",)),
        Permission(resource=CSI_DRIVERS, verbs=("get",)),
        Permission(resource=CSI_NODES, verbs=("get",)),
        Permission(resource=ATTRIBUTES_CLASSES, verbs=("list",)),
        Permission(resource=SNAPSHOT_CLASSES, verbs=("list",), where_served=True),
        Permission(resource=VOLUME_SNAPSHOTS, verbs=("get", "list", "create", "delete"), where_served=True),
        Permission(resource=SNAPSHOT_CONTENTS, verbs=("get", "list", "patch", "delete"), where_served=True),
        Permission(resource=GROUP_CLASSES, verbs=("list",), where_served=True),
        Permission(resource=GROUP_SNAPSHOTS, verbs=("get", "list", "create", "delete"), where_served=True),
        Permission(resource=GROUP_CONTENTS, verbs=("get", "list", "patch", "delete"), where_served=True),
    ),
}


def require_permissions(api: Api, *, pull_secret: str | None, subjects: Iterable[str] = ()) -> None:
    """Raise EnvironmentFailure naming every verb and resource that is needed and forbidden.

    `pull_secret`: NAMESPACE/NAME. `subjects`: the ones of OF_SUBJECT that will be tested.
    """
    missing = _missing(api, RUN_PERMISSIONS + (for_pull_secret(pull_secret) if pull_secret else ()))
    for subject in subjects:
        hint = f" (only for {subject} tests, which -m 'not {subject}' excludes)"
        missing += [line + hint for line in _missing(api, OF_SUBJECT[subject])]
    _raise(missing)


def require_rebuild_permissions(api: Api, permissions: Iterable[Permission]) -> None:
    """Raise EnvironmentFailure if permissions lack that a rebuild of replicas needs, as the storage's driver knows."""
    _raise(_missing(api, permissions))


def may(api: Api, permissions: Iterable[Permission]) -> bool:
    """Return whether the account has all permissions: for actions that a run can do without."""
    return not _missing(api, permissions)


def _missing(api: Api, permissions: Iterable[Permission]) -> list[str]:
    missing = []
    for permission in permissions:
        if permission.where_served and not api.group_versions(permission.resource.group):
            continue
        forbidden_verbs = [verb for verb in permission.verbs if not _can(api, permission, verb)]
        if forbidden_verbs:
            missing.append(f"  {', '.join(forbidden_verbs)} on {permission}")
    return missing


def _raise(missing: Sequence[str]) -> None:
    if missing:
        raise EnvironmentFailure(
            "this account lacks permissions that the suite needs (all of them are listed in docs/running.md):\n"
            + "\n".join(missing)
        )


def _can(api: Api, permission: Permission, verb: str) -> bool:
    attributes = {
        "verb": verb,
        "group": permission.resource.group,
        "resource": permission.resource.plural,
        "subresource": permission.subresource,
        "namespace": permission.namespace,
        "name": permission.name,
    }
    answer = api.ask(ACCESS_REVIEWS, {"spec": {"resourceAttributes": attributes}})
    return bool(answer["status"].get("allowed"))
