"""Removing what a run made, and only that: pods, claims, volumes, attachments, namespace; each seen to be gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acceptance.cluster.api import ATTACHMENTS, CLAIMS, NAMESPACES, PODS, VOLUMES, Api, Object, Resource
from acceptance.cluster.claims import volumes_of_run
from acceptance.cluster.events import recent_events
from acceptance.cluster.objects import MANAGER, MANAGER_LABEL, RUN_LABEL, run_namespace
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
    """Every run with a namespace or volumes in the cluster, by id; nothing is changed."""
    run_ids = {
        namespace["metadata"]["labels"][RUN_LABEL]
        for namespace in api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    }
    for volume in api.list(VOLUMES):
        label = (volume["metadata"].get("labels") or {}).get(RUN_LABEL)
        if label:
            run_ids.add(label)
    return [_leftover(api, run_id) for run_id in sorted(run_ids)]


def _leftover(api: Api, run_id: str) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    for resource, word in ((PODS, "pod"), (CLAIMS, "claim")):
        names += [f"{word} {item['metadata']['name']}" for item in api.list(resource, namespace=namespace)]
    volumes = volumes_of_run(api, run_id=run_id, namespace=namespace)
    names += [f"volume {volume['metadata']['name']}" for volume in volumes]
    return Leftover(run_id=run_id, namespace=namespace, alive=is_alive(api, namespace=namespace), objects=tuple(names))


def remove_run(api: Api, *, run_id: str, timeout_s: float) -> None:
    """Remove everything of the run, in the order in which storage lets go, and see that it is gone.

    Volumes that their class would retain are removed too, since the run made them. Raises Leak naming what stays.
    """
    namespace = run_namespace(run_id)
    existing = api.find(NAMESPACES, namespace)
    if existing is not None and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        raise Leak(f"namespace {namespace} does not carry the run's label {RUN_LABEL}={run_id}: left alone")
    volumes = volumes_of_run(api, run_id=run_id, namespace=namespace)
    for volume in volumes:
        if volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
            api.patch(VOLUMES, volume["metadata"]["name"], {"spec": {"persistentVolumeReclaimPolicy": "Delete"}})
    problems = []
    for resource, word in ((PODS, "pods"), (CLAIMS, "claims")):
        for item in api.list(resource, namespace=namespace):
            api.delete(resource, item["metadata"]["name"], namespace=namespace, grace_s=1 if resource is PODS else None)
        problems += _gone(f"{word} of namespace {namespace}", api, resource, namespace, timeout_s)
    problems += _volumes_gone(api, run_id=run_id, namespace=namespace, timeout_s=timeout_s)
    if existing is not None:
        api.delete(NAMESPACES, namespace)
        problems += _namespace_gone(api, namespace, timeout_s)
    if problems:
        raise Leak("left behind in the cluster:\n" + "\n".join(problems))


def _gone(what: str, api: Api, resource: Resource, namespace: str, timeout_s: float) -> list[str]:
    return _problems(
        lambda: wait_for(
            f"{what} to be gone",
            look=lambda: api.list(resource, namespace=namespace),
            ready=lambda seen: not seen,
            state=_names,
            events=lambda: recent_events(
                api, namespace=namespace, name=_first(api.list(resource, namespace=namespace))
            ),
            timeout_s=timeout_s,
        )
    )


def _volumes_gone(api: Api, *, run_id: str, namespace: str, timeout_s: float) -> list[str]:
    attached = {volume["metadata"]["name"] for volume in volumes_of_run(api, run_id=run_id, namespace=namespace)}

    def look() -> list[Object]:
        attachments = [
            item
            for item in api.list(ATTACHMENTS)
            if item["spec"].get("source", {}).get("persistentVolumeName") in attached
        ]
        return volumes_of_run(api, run_id=run_id, namespace=namespace) + attachments

    return _problems(
        lambda: wait_for(
            f"volumes and attachments of run {run_id} to be gone",
            look=look,
            ready=lambda seen: not seen,
            state=_names,
            timeout_s=timeout_s,
        )
    )


def _namespace_gone(api: Api, namespace: str, timeout_s: float) -> list[str]:
    return _problems(
        lambda: wait_for(
            f"namespace {namespace} to be gone",
            look=lambda: api.find(NAMESPACES, namespace),
            ready=lambda seen: seen is None,
            state=lambda seen: str((seen or {}).get("status")),
            timeout_s=timeout_s,
        )
    )


def _problems(wait: Callable[[], object]) -> list[str]:
    try:
        wait()
    except AcceptanceError as error:
        return [f"  {error}"]
    return []


def _names(seen: list[Object]) -> str:
    words = [
        f"{item['metadata']['name']} ({item.get('status', {}).get('phase', 'unknown')}, "
        f"finalizers: {', '.join(item['metadata'].get('finalizers') or []) or 'none'})"
        for item in seen
    ]
    return "; ".join(words) or "none left"


def _first(seen: list[Object]) -> str:
    return str(seen[0]["metadata"]["name"]) if seen else ""
