"""What the suite must be allowed to do, asked for all at once before anything is created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import (
    ACCESS_REVIEWS,
    ATTACHMENTS,
    CLAIMS,
    CONFIG_MAPS,
    EVENTS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    SECRETS,
    STATEFUL_SETS,
    STORAGE_CLASSES,
    VOLUMES,
    Resource,
)
from acceptance.errors import EnvironmentFailure


@dataclass(frozen=True, kw_only=True)
class Permission:
    """Verbs on one kind of object; in all namespaces, or in the one that is named."""

    resource: Resource
    verbs: tuple[str, ...]
    subresource: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        name = self.resource.plural + (f"/{self.subresource}" if self.subresource else "")
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return (f"{name}.{self.resource.group}" if self.resource.group else name) + where


NEEDED = (
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
    Permission(resource=ATTACHMENTS, verbs=("list",)),
)


WITH_PULL_SECRET = (Permission(resource=SECRETS, verbs=("get", "create")),)


STATEFUL = Permission(resource=STATEFUL_SETS, verbs=("list", "create", "patch", "delete"))
# What only some tests need, by their mark.
OF_SUBJECT = {
    "scale": (STATEFUL, Permission(resource=PODS, verbs=("watch", "patch"))),
    "control_plane": (
        STATEFUL,
        *(
            Permission(resource=resource, verbs=("watch",))
            for resource in (PODS, CLAIMS, EVENTS, VOLUMES, NODES, ATTACHMENTS)
        ),
    ),
}


def require_permissions(api: Api, *, pull_secret: str | None, subjects: Iterable[str] = ()) -> None:
    """Raise EnvironmentFailure naming every verb and resource that is needed and forbidden.

    `subjects`: which of OF_SUBJECT will be tested.
    """
    missing = _missing(api, NEEDED + (WITH_PULL_SECRET if pull_secret else ()))
    for subject in subjects:
        spared = f" (only for {subject} tests, which -m 'not {subject}' leaves out)"
        missing += [line + spared for line in _missing(api, OF_SUBJECT[subject])]
    _raise(missing)


def require_rebuild_permissions(api: Api, needed: Iterable[Permission]) -> None:
    """The same for what a rebuild of the storage system's replicas needs, as its driver knows."""
    _raise(_missing(api, needed))


def _missing(api: Api, needed: Iterable[Permission]) -> list[str]:
    missing = []
    for permission in needed:
        refused = [verb for verb in permission.verbs if not _allowed(api, permission, verb)]
        if refused:
            missing.append(f"  {', '.join(refused)} on {permission}")
    return missing


def _raise(missing: Sequence[str]) -> None:
    if missing:
        raise EnvironmentFailure(
            "this account lacks permissions that the suite needs (all of them are listed in the README):\n"
            + "\n".join(missing)
        )


def _allowed(api: Api, permission: Permission, verb: str) -> bool:
    attributes = {
        "verb": verb,
        "group": permission.resource.group,
        "resource": permission.resource.plural,
        "subresource": permission.subresource,
        "namespace": permission.namespace,
    }
    answer = api.ask(ACCESS_REVIEWS, {"spec": {"resourceAttributes": attributes}})
    return bool(answer["status"].get("allowed"))
