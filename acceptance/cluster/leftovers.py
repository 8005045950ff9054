"""What runs left in a cluster: found by their namespaces and by the volumes of claims that were in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.group_snapshots import GroupKinds, group_kinds
from acceptance.cluster.objects import (
    MANAGER,
    MANAGER_LABEL,
    NAMESPACE_PREFIX,
    RUN_LABEL,
    SHOWN,
    began,
    name_of,
    only_name,
    run_namespace,
    run_of,
    slim_metadata,
)
from acceptance.cluster.ownership import Belongings, belongings, why_kept
from acceptance.cluster.resources import (
    CLAIMS,
    NAMESPACES,
    PODS,
    SNAPSHOT_CONTENTS,
    STATEFUL_SETS,
    VOLUME_SNAPSHOTS,
    Object,
)
from acceptance.cluster.run_namespace import alive_for_s, undone
from acceptance.cluster.volumes import claimed_in, volumes_in


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """What a run left in the cluster. `alive_for_s`: how long the run still counts as alive if it does not renew its
    lease; 0.0 for one that is dead, infinite where that cannot be known.

    `kept`: volumes of claims in its namespace that are not surely its own, in words; they stay. `undone`: what it made
    to fail and did not bring back, with the command that does. `tainted`: the node that it may have left tainted.
    """

    run_id: str
    namespace: str
    alive_for_s: float
    objects: tuple[str, ...]
    kept: tuple[str, ...] = ()
    undone: str | None = None
    tainted: str | None = None

    @property
    def alive(self) -> bool:
        """Whether it counts as alive, so that only a user who names it removes it."""
        return self.alive_for_s > 0.0


@dataclass(frozen=True, kw_only=True)
class Leftovers:
    """All that runs left. `strange`: volumes that only look as if a run had left them, in words; they stay."""

    runs: tuple[Leftover, ...]
    strange: tuple[str, ...]


def find_leftovers(api: Api) -> Leftovers:
    """Every run with a namespace, or volumes or snapshots of its claims, in the cluster, by id; nothing is changed.

    A namespace is a run's only by the full form of a run's id and its labels: others may call theirs
    `storage-acceptance-reports`. Where it is gone, a volume is a run's only by what it carries itself.
    """
    labelled = api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    run_ids = {
        run_id
        for namespace in labelled
        if (run_id := run_of(name_of(namespace))) == namespace["metadata"]["labels"][RUN_LABEL]
    }
    volumes = _by_namespace(api)
    strange: list[str] = []
    for namespace, held in volumes.items():
        run_id = run_of(namespace)
        if run_id is None:
            strange += [why_kept(each, f"no run makes a namespace {namespace}") for each in held]
        elif run_id not in run_ids and api.find(NAMESPACES, namespace) is None:
            found = belongings(held, run_id=run_id, since=began(run_id), ours=())
            if found.own:
                run_ids.add(run_id)
            else:
                strange += [why_kept(each, why) for each, why in found.kept]
    taken = filter(was_taken, [*_all_contents(api), *_all_group_contents(api)])
    for namespace in {_namespace_of(each) for each in taken}:
        if (run_id := run_of(namespace)) is not None and api.find(NAMESPACES, namespace) is None:
            run_ids.add(run_id)
    runs = [_leftover(api, run_id, volumes) for run_id in sorted(filter(None, run_ids))]
    return Leftovers(runs=tuple(runs), strange=tuple(strange))


def _by_namespace(api: Api) -> dict[str, list[Object]]:
    """The volumes whose claim is, or was, in a namespace that is named like a run's."""
    found: dict[str, list[Object]] = {}
    for volume in volumes_in(api, lambda namespace: namespace.startswith(NAMESPACE_PREFIX)):
        found.setdefault(claimed_in(volume), []).append(volume)
    return found


def belongings_in(api: Api, volumes: Sequence[Object], *, run_id: str) -> Belongings:
    """Which of the volumes of claims in the run's namespace are the run's."""
    namespace = run_namespace(run_id)
    existing = api.find(NAMESPACES, namespace)
    claims = api.list(CLAIMS, namespace=namespace, slim=_slim_claim) if existing else []
    ours = {claim["metadata"]["uid"] for claim in claims if claim["metadata"]["run"] == run_id}
    return belongings(
        volumes,
        run_id=run_id,
        since=existing["metadata"]["creationTimestamp"] if existing else began(run_id),
        ours=ours,
        others={claim["metadata"]["uid"] for claim in claims} - ours,
    )


def _slim_claim(claim: Object) -> Object:
    run = (claim["metadata"].get("labels") or {}).get(RUN_LABEL)
    return {"metadata": {**slim_metadata(claim), "run": run}}


def _leftover(api: Api, run_id: str, volumes: Mapping[str, Sequence[Object]]) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    names += _some("StatefulSet", sets_of(api, namespace))
    names += _some("VolumeGroupSnapshot", group_snapshots_of(api, namespace))
    names += _some("VolumeGroupSnapshotContent", group_contents_of(api, namespace))
    names += _some("VolumeSnapshot", snapshots_of(api, namespace))
    names += _some("VolumeSnapshotContent", contents_of(api, namespace))
    for resource, word in ((PODS, "pod"), (CLAIMS, "PVC")):
        names += _some(word, api.list(resource, namespace=namespace, slim=only_name))
    held = belongings_in(api, volumes.get(namespace, ()), run_id=run_id)
    failed, tainted = undone(api, namespace=namespace)
    names += _some("PV", held.own)
    return Leftover(
        run_id=run_id,
        namespace=namespace,
        alive_for_s=alive_for_s(api, namespace=namespace),
        objects=tuple(names),
        kept=tuple(why_kept(each, why) for each, why in held.kept),
        undone=failed,
        tainted=tainted,
    )


def _some(word: str, items: Sequence[Object]) -> list[str]:
    """The first of them by name, and how many more there are."""
    more = [f"{len(items) - SHOWN} more {word}s"] if len(items) > SHOWN else []
    return [f"{word} {name_of(item)}" for item in items[:SHOWN]] + more


def sets_of(api: Api, namespace: str) -> list[Object]:
    """The stateful sets of a namespace; an account that may not even list them has not made any."""
    try:
        return api.list(STATEFUL_SETS, namespace=namespace, slim=only_name)
    except ApiError as error:
        if error.status == 403:
            return []
        raise


def snapshots_of(api: Api, namespace: str) -> list[Object]:
    """The snapshots of a namespace; none where the cluster does not know any, or the account may not list them."""
    return _where_served(api, lambda: api.list(VOLUME_SNAPSHOTS, namespace=namespace, slim=only_name))


def contents_of(api: Api, namespace: str) -> list[Object]:
    """What is behind snapshots that are, or were, in a namespace."""
    return [content for content in _all_contents(api) if _namespace_of(content) == namespace]


def group_snapshots_of(api: Api, namespace: str) -> list[Object]:
    """The group snapshots of a namespace; none where the cluster knows none, or the account may not list them."""
    return _of_groups(api, lambda kinds: api.list(kinds.snapshots, namespace=namespace, slim=only_name))


def group_contents_of(api: Api, namespace: str) -> list[Object]:
    """What is behind group snapshots that are, or were, in a namespace."""
    return [group_content for group_content in _all_group_contents(api) if _namespace_of(group_content) == namespace]


def was_taken(content: Object) -> bool:
    """Whether what is behind a snapshot, or a group, came with it, and is not what was there before and given to it."""
    return not {"snapshotHandle", "groupSnapshotHandles"} & (content["spec"].get("source") or {}).keys()


def _namespace_of(content: Object) -> str:
    spec = content["spec"]
    return str((spec.get("volumeSnapshotRef") or spec.get("volumeGroupSnapshotRef") or {}).get("namespace", ""))


def _all_contents(api: Api) -> list[Object]:
    return _where_served(api, lambda: api.list(SNAPSHOT_CONTENTS, slim=_slim_content))


def _all_group_contents(api: Api) -> list[Object]:
    return _of_groups(api, lambda kinds: api.list(kinds.contents, slim=_slim_content))


def _slim_content(content: Object) -> Object:
    """Whose it is and how it came, what becomes of it, what holds it. A cluster that is backed up has many."""
    kept, spec = ("volumeSnapshotRef", "volumeGroupSnapshotRef", "source", "deletionPolicy"), content["spec"]
    return {"metadata": slim_metadata(content, "finalizers"), "spec": {key: spec[key] for key in kept if key in spec}}


def _where_served(api: Api, found: Callable[[], list[Object]]) -> list[Object]:
    return _where_allowed(found) if api.group_versions(VOLUME_SNAPSHOTS.group) else []


def _of_groups(api: Api, found: Callable[[GroupKinds], list[Object]]) -> list[Object]:
    kinds = group_kinds(api)
    return [] if kinds is None else _where_allowed(lambda: found(kinds))


def _where_allowed(found: Callable[[], list[Object]]) -> list[Object]:
    try:
        return found()
    except ApiError as error:
        if error.status in (403, 404):  # 404: of the group other kinds or versions are served
            return []
        raise
