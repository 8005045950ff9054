"""What runs left in a cluster: found by their namespaces and by the volumes of claims that were in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import slim_volume, volumes_of
from acceptance.cluster.objects import MANAGER, MANAGER_LABEL, RUN_LABEL, name_of, run_namespace, run_of
from acceptance.cluster.resources import (
    CLAIMS,
    NAMESPACES,
    PODS,
    SNAPSHOT_CONTENTS,
    STATEFUL_SETS,
    VOLUME_SNAPSHOTS,
    VOLUMES,
    Object,
)
from acceptance.cluster.run_namespace import is_alive

# What is told by name of many; a scale run has thousands.
SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """What a run left in the cluster. `alive`: the run still renews its lease."""

    run_id: str
    namespace: str
    alive: bool
    objects: tuple[str, ...]


def find_leftovers(api: Api) -> list[Leftover]:
    """Every run with a namespace, or volumes or snapshots of its claims, in the cluster, by id; nothing is changed.

    A namespace is a run's only by the full form of a run's id: others may call theirs `storage-acceptance-reports`.
    """
    labelled = api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    run_ids = {
        run_id
        for namespace in labelled
        if (run_id := run_of(name_of(namespace))) == namespace["metadata"]["labels"][RUN_LABEL]
    }
    claimed = {
        (volume["spec"]["claimRef"] or {}).get("namespace", "") for volume in api.list(VOLUMES, slim=slim_volume)
    }
    claimed |= {each["spec"]["volumeSnapshotRef"].get("namespace", "") for each in _all_contents(api)}
    for namespace in claimed:  # a run may have thousands of volumes: ask once for each namespace
        run_id = run_of(namespace)
        if run_id is not None and api.find(NAMESPACES, namespace) is None:
            run_ids.add(run_id)
    return [_leftover(api, run_id) for run_id in sorted(filter(None, run_ids))]


def _leftover(api: Api, run_id: str) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    names += _some("stateful set", sets_of(api, namespace))
    names += _some("snapshot", snapshots_of(api, namespace))
    names += _some("snapshot content", contents_of(api, namespace))
    for resource, word in ((PODS, "pod"), (CLAIMS, "claim")):
        names += _some(word, api.list(resource, namespace=namespace, slim=only_name))
    names += _some("volume", volumes_of(api, namespace=namespace))
    return Leftover(run_id=run_id, namespace=namespace, alive=is_alive(api, namespace=namespace), objects=tuple(names))


def _some(word: str, items: Sequence[Object]) -> list[str]:
    """The first of them by name, and how many more there are."""
    more = [f"{len(items) - SHOWN} more {word}s"] if len(items) > SHOWN else []
    return [f"{word} {name_of(item)}" for item in items[:SHOWN]] + more


def only_name(item: Object) -> Object:
    """What is kept of an object that only its name is needed of."""
    return {"metadata": {"name": name_of(item)}}


def sets_of(api: Api, namespace: str) -> list[Object]:
    """The stateful sets of a namespace; an account that may not even list them has not made any."""
    try:
        return api.list(STATEFUL_SETS, namespace=namespace)
    except ApiError as error:
        if error.status == 403:
            return []
        raise


def snapshots_of(api: Api, namespace: str) -> list[Object]:
    """The snapshots of a namespace; none where the cluster does not know any, or the account may not list them."""
    return _where_served(api, lambda: api.list(VOLUME_SNAPSHOTS, namespace=namespace, slim=only_name))


def contents_of(api: Api, namespace: str) -> list[Object]:
    """What is behind snapshots that are, or were, in a namespace."""
    return [each for each in _all_contents(api) if each["spec"]["volumeSnapshotRef"].get("namespace") == namespace]


def _all_contents(api: Api) -> list[Object]:
    return _where_served(api, lambda: api.list(SNAPSHOT_CONTENTS))


def _where_served(api: Api, found: Callable[[], list[Object]]) -> list[Object]:
    if not api.group_versions(VOLUME_SNAPSHOTS.group):
        return []
    try:
        return found()
    except ApiError as error:
        if error.status in (403, 404):  # 404: of the group other kinds or versions are served
            return []
        raise
