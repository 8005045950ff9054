"""What runs left in a cluster: found by their namespaces and by the volumes of claims that were in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api, ApiError
from acceptance.cluster.claims import slim_volume, volumes_of
from acceptance.cluster.objects import MANAGER, MANAGER_LABEL, NAMESPACE_PREFIX, RUN_LABEL, name_of, run_namespace
from acceptance.cluster.resources import CLAIMS, NAMESPACES, PODS, STATEFUL_SETS, VOLUMES, Object
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
    """Every run with a namespace, or volumes of its claims, in the cluster, by id; nothing is changed."""
    run_ids = {
        namespace["metadata"]["labels"][RUN_LABEL]
        for namespace in api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    }
    claimed = {
        (volume["spec"]["claimRef"] or {}).get("namespace", "") for volume in api.list(VOLUMES, slim=slim_volume)
    }
    for namespace in claimed:  # a run may have thousands of volumes: ask once for each namespace
        if namespace.startswith(NAMESPACE_PREFIX) and api.find(NAMESPACES, namespace) is None:
            run_ids.add(namespace.removeprefix(NAMESPACE_PREFIX))
    return [_leftover(api, run_id) for run_id in sorted(run_ids)]


def _leftover(api: Api, run_id: str) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    names += _some("stateful set", sets_of(api, namespace))
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
