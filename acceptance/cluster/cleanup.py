"""Removing what a run made, and only that: pods, claims, volumes, attachments, namespace; each seen to be gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from acceptance.cluster.api import (
    ATTACHMENTS,
    CLAIMS,
    NAMESPACES,
    PODS,
    STATEFUL_SETS,
    VOLUMES,
    Api,
    ApiError,
    Object,
    Resource,
)
from acceptance.cluster.claims import volumes_of
from acceptance.cluster.events import recent_events
from acceptance.cluster.objects import MANAGER, MANAGER_LABEL, NAMESPACE_PREFIX, RUN_LABEL, run_namespace
from acceptance.cluster.run_namespace import is_alive
from acceptance.cluster.waiting import wait_for
from acceptance.errors import AcceptanceError, StorageFailure


class Leak(StorageFailure):
    """Something of the run could not be removed."""


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """What a run left in the cluster. `alive`: the run still renews its lease."""

    run_id: str
    namespace: str
    alive: bool
    objects: tuple[str, ...]


def find_leftovers(api: Api) -> list[Leftover]:
    """Every run with a namespace, or volumes of its claims, in the cluster, by id; nothing is changed."""
    run_ids = {
        namespace["metadata"]["labels"][RUN_LABEL]
        for namespace in api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    }
    for volume in api.list(VOLUMES):
        namespace = (volume["spec"].get("claimRef") or {}).get("namespace", "")
        if namespace.startswith(NAMESPACE_PREFIX) and api.find(NAMESPACES, namespace) is None:
            run_ids.add(namespace.removeprefix(NAMESPACE_PREFIX))
    return [_leftover(api, run_id) for run_id in sorted(run_ids)]


def _leftover(api: Api, run_id: str) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    names += [f"stateful set {_name(item)}" for item in _sets(api, namespace)]
    for resource, word in ((PODS, "pod"), (CLAIMS, "claim")):
        names += [f"{word} {_name(item)}" for item in api.list(resource, namespace=namespace)]
    names += [f"volume {_name(volume)}" for volume in volumes_of(api, namespace=namespace)]
    return Leftover(run_id=run_id, namespace=namespace, alive=is_alive(api, namespace=namespace), objects=tuple(names))


def remove_run(api: Api, *, run_id: str, timeout_s: float) -> None:
    """Remove everything of the run, in the order in which storage lets go, and see that it is gone.

    Volumes that their class would retain are removed too, since they were provisioned for the run. What cannot be
    removed keeps nothing else from being removed. Raises Leak naming all that stays.
    """
    namespace = run_namespace(run_id)
    existing = api.find(NAMESPACES, namespace)
    if existing is not None and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        raise Leak(f"namespace {namespace} does not carry the run's label {RUN_LABEL}={run_id}: left alone")
    removal = _Removal(api, namespace, timeout_s)
    removal.delete_sets()  # first: they would make their pods anew
    removal.empty(PODS, "pods", grace_s=1)
    removal.let_volumes_go()
    removal.empty(CLAIMS, "claims")
    removal.see_volumes_gone()
    if existing is not None:
        removal.delete_namespace()
    if removal.problems:
        raise Leak("left behind in the cluster:\n" + "\n".join(removal.problems))


class _Removal:
    """The steps of a removal; each goes on whatever became of the others, and `problems` says what stays."""

    def __init__(self, api: Api, namespace: str, timeout_s: float) -> None:
        self._api = api
        self._namespace = namespace
        self._timeout_s = timeout_s
        self._volumes: set[str] = set()
        self.problems: list[str] = []

    def delete_sets(self) -> None:
        """Have the stateful sets gone; their pods are deleted like all others."""
        try:
            sets = _sets(self._api, self._namespace)
        except AcceptanceError as error:
            self.problems.append(f"  {error}")
            return
        if sets:
            self.empty(STATEFUL_SETS, "stateful sets")

    def empty(self, resource: Resource, word: str, *, grace_s: int | None = None) -> None:
        """Delete all objects of a kind in the namespace."""

        def delete_all() -> None:
            for item in self._api.list(resource, namespace=self._namespace):
                self._try(partial(self._api.delete, resource, _name(item), namespace=self._namespace, grace_s=grace_s))

        def gone() -> None:
            wait_for(
                f"{word} of namespace {self._namespace} to be gone",
                look=lambda: self._api.list(resource, namespace=self._namespace),
                ready=lambda seen: not seen,
                state=_names,
                events=lambda: self._events(resource),
                timeout_s=self._timeout_s,
            )

        self._try(delete_all)
        self._try(gone)

    def let_volumes_go(self) -> None:
        """Have the volumes deleted with their claims, whatever their class's reclaim policy; those there are now."""

        def patch_all() -> list[Object]:
            volumes = volumes_of(self._api, namespace=self._namespace)
            self._volumes |= {_name(volume) for volume in volumes}
            for volume in volumes:
                if volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
                    change = {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}
                    self._try(partial(self._api.patch, VOLUMES, _name(volume), change))
            return volumes

        self._try(patch_all)

    def see_volumes_gone(self) -> None:
        """Wait until no volume of the namespace's claims is left, and no attachment of one."""

        def look() -> list[Object]:
            self.let_volumes_go()  # a volume may come when its claim is gone already
            attachments = [
                item
                for item in self._api.list(ATTACHMENTS)
                if item["spec"].get("source", {}).get("persistentVolumeName") in self._volumes
            ]
            return volumes_of(self._api, namespace=self._namespace) + attachments

        def gone() -> None:
            wait_for(
                f"volumes and attachments of namespace {self._namespace} to be gone",
                look=look,
                ready=lambda seen: not seen,
                state=_names,
                timeout_s=self._timeout_s,
            )

        self._try(gone)

    def delete_namespace(self) -> None:
        """Delete the namespace."""

        def gone() -> None:
            self._api.delete(NAMESPACES, self._namespace)
            wait_for(
                f"namespace {self._namespace} to be gone",
                look=lambda: self._api.find(NAMESPACES, self._namespace),
                ready=lambda seen: seen is None,
                state=lambda seen: str((seen or {}).get("status")),
                timeout_s=self._timeout_s,
            )

        self._try(gone)

    def _try(self, step: Callable[[], object]) -> None:
        try:
            step()
        except AcceptanceError as error:
            problem = f"  {error}"
            if problem not in self.problems:
                self.problems.append(problem)

    def _events(self, resource: Resource) -> list[str]:
        left = self._api.list(resource, namespace=self._namespace)
        return recent_events(self._api, namespace=self._namespace, name=_name(left[0])) if left else []


def _sets(api: Api, namespace: str) -> list[Object]:
    try:
        return api.list(STATEFUL_SETS, namespace=namespace)
    except ApiError as error:
        if error.status == 403:
            return []  # an account that may not even list them has not made any
        raise


def _name(item: Object) -> str:
    return str(item["metadata"]["name"])


def _names(seen: list[Object]) -> str:
    words = [
        f"{_name(item)} (phase {item.get('status', {}).get('phase', 'unknown')}, "
        f"finalizers: {', '.join(item['metadata'].get('finalizers') or []) or 'none'})"
        for item in seen
    ]
    return "; ".join(words) or "none left"
