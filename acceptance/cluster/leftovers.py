"""Leftovers of runs in a cluster: found by their namespaces and by the volumes of claims that were in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.group_snapshots import GroupKinds, group_kinds
from acceptance.cluster.objects import (
    MANAGER,
    MANAGER_LABEL,
    MAX_NAMES,
    NAMESPACE_PREFIX,
    RUN_LABEL,
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
from acceptance.cluster.run_namespace import alive_for_s, read_undo
from acceptance.cluster.volumes import claimed_in, volumes_in


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """The objects that a run left in the cluster.

    `alive_for_s`: how long the run still counts as alive if it does not renew its lease; 0.0 for one that is dead,
    infinite if that cannot be known. `kept_volumes`: volumes of claims in its namespace that are not surely its own, in
    words; they stay. `undo`: the component that it made fail and did not restore, with the command that does.
    `tainted_node`: the node that it may have left tainted.
    """

    run_id: str
    namespace: str
    alive_for_s: float
    objects: tuple[str, ...]
    kept_volumes: tuple[str, ...] = ()
    undo: str | None = None
    tainted_node: str | None = None

    @property
    def alive(self) -> bool:
        """Return whether the run counts as alive, so that only a user who names it removes it."""
        return self.alive_for_s > 0.0


@dataclass(frozen=True, kw_only=True)
class Leftovers:
    """All leftovers of runs. `strange`: volumes that only look as if a run had left them, in words; they stay."""

    runs: tuple[Leftover, ...]
    strange: tuple[str, ...]


def find_leftovers(api: Api) -> Leftovers:
    """Return every run with a namespace, or volumes or snapshots of its claims, by id; nothing is changed.

    A namespace is a run's only by the full form of a run's id and its labels: others may call theirs
    `storage-acceptance-reports`. If it no longer exists, a volume is a run's only by its own labels.
    """
    namespaces = api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
    run_ids = {
        run_id
        for namespace in namespaces
        if (run_id := run_of(name_of(namespace))) == namespace["metadata"]["labels"][RUN_LABEL]
    }
    volumes = _by_namespace(api)
    strange: list[str] = []
    for namespace, namespace_volumes in volumes.items():
        run_id = run_of(namespace)
        if run_id is None:
            strange += [why_kept(volume, f"no run creates namespace {namespace}") for volume in namespace_volumes]
        elif run_id not in run_ids and api.find(NAMESPACES, namespace) is None:
            belonging = belongings(namespace_volumes, run_id=run_id, since=began(run_id), own_claims=())
            if belonging.own:
                run_ids.add(run_id)
            else:
                strange += [why_kept(volume, why) for volume, why in belonging.kept_volumes]
    contents = filter(was_taken, [*_all_contents(api), *_all_group_contents(api)])
    for namespace in {_namespace_of(content) for content in contents}:
        if (run_id := run_of(namespace)) is not None and api.find(NAMESPACES, namespace) is None:
            run_ids.add(run_id)
    runs = [_leftover(api, run_id, volumes) for run_id in sorted(filter(None, run_ids))]
    return Leftovers(runs=tuple(runs), strange=tuple(strange))


def _by_namespace(api: Api) -> dict[str, list[Object]]:
    """Return the volumes whose claim is, or was, in a namespace that is named like a run's."""
    volumes: dict[str, list[Object]] = {}
    for volume in volumes_in(api, lambda namespace: namespace.startswith(NAMESPACE_PREFIX)):
        volumes.setdefault(claimed_in(volume), []).append(volume)
    return volumes


def belongings_in(api: Api, volumes: Sequence[Object], *, run_id: str) -> Belongings:
    """Return which of the volumes of claims in the run's namespace are the run's."""
    namespace = run_namespace(run_id)
    existing = api.find(NAMESPACES, namespace)
    claims = api.list(CLAIMS, namespace=namespace, slim=_slim_claim) if existing else []
    own_claims = {claim["metadata"]["uid"] for claim in claims if claim["metadata"]["run"] == run_id}
    return belongings(
        volumes,
        run_id=run_id,
        since=existing["metadata"]["creationTimestamp"] if existing else began(run_id),
        own_claims=own_claims,
        other_claims={claim["metadata"]["uid"] for claim in claims} - own_claims,
    )


def _slim_claim(claim: Object) -> Object:
    run = (claim["metadata"].get("labels") or {}).get(RUN_LABEL)
    return {"metadata": {**slim_metadata(claim), "run": run}}


def _leftover(api: Api, run_id: str, volumes: Mapping[str, Sequence[Object]]) -> Leftover:
    namespace = run_namespace(run_id)
    names = [f"namespace {namespace}"] if api.find(NAMESPACES, namespace) else []
    names += _first_names("StatefulSet", sets_of(api, namespace))
    names += _first_names("VolumeGroupSnapshot", group_snapshots_of(api, namespace))
    names += _first_names("VolumeGroupSnapshotContent", group_contents_of(api, namespace))
    names += _first_names("VolumeSnapshot", snapshots_of(api, namespace))
    names += _first_names("VolumeSnapshotContent", contents_of(api, namespace))
    for resource, word in ((PODS, "pod"), (CLAIMS, "PVC")):
        names += _first_names(word, api.list(resource, namespace=namespace, slim=only_name))
    belonging = belongings_in(api, volumes.get(namespace, ()), run_id=run_id)
    undo, tainted_node = read_undo(api, namespace=namespace)
    names += _first_names("PV", belonging.own)
    return Leftover(
        run_id=run_id,
        namespace=namespace,
        alive_for_s=alive_for_s(api, namespace=namespace),
        objects=tuple(names),
        kept_volumes=tuple(why_kept(volume, why) for volume, why in belonging.kept_volumes),
        undo=undo,
        tainted_node=tainted_node,
    )


def _first_names(word: str, items: Sequence[Object]) -> list[str]:
    """Return the first items by name, and how many more there are."""
    more = [f"{len(items) - MAX_NAMES} more {word}s"] if len(items) > MAX_NAMES else []
    return [f"{word} {name_of(item)}" for item in items[:MAX_NAMES]] + more


def sets_of(api: Api, namespace: str) -> list[Object]:
    """Return the StatefulSets of a namespace; an account that may not even list them has not created any."""
    try:
        return api.list(STATEFUL_SETS, namespace=namespace, slim=only_name)
    except ApiError as error:
        if error.status == 403:
            return []
        raise


def snapshots_of(api: Api, namespace: str) -> list[Object]:
    """Return the snapshots of a namespace; none if the cluster serves none, or the account may not list them."""
    return _of_snapshots(api, lambda: api.list(VOLUME_SNAPSHOTS, namespace=namespace, slim=only_name))


def contents_of(api: Api, namespace: str) -> list[Object]:
    """Return the contents of snapshots that are, or were, in a namespace."""
    return [content for content in _all_contents(api) if _namespace_of(content) == namespace]


def group_snapshots_of(api: Api, namespace: str) -> list[Object]:
    """Return the group snapshots of a namespace; none if the cluster serves none, or the account may not list them."""
    return _of_groups(api, lambda kinds: api.list(kinds.snapshots, namespace=namespace, slim=only_name))


def group_contents_of(api: Api, namespace: str) -> list[Object]:
    """Return the contents of group snapshots that are, or were, in a namespace."""
    return [group_content for group_content in _all_group_contents(api) if _namespace_of(group_content) == namespace]


def was_taken(content: Object) -> bool:
    """Return whether a content was created for its snapshot, or group, and did not exist before."""
    return not {"snapshotHandle", "groupSnapshotHandles"} & (content["spec"].get("source") or {}).keys()


def _namespace_of(content: Object) -> str:
    spec = content["spec"]
    return str((spec.get("volumeSnapshotRef") or spec.get("volumeGroupSnapshotRef") or {}).get("namespace", ""))


def _all_contents(api: Api) -> list[Object]:
    return _of_snapshots(api, lambda: api.list(SNAPSHOT_CONTENTS, slim=_slim_content))


def _all_group_contents(api: Api) -> list[Object]:
    return _of_groups(api, lambda kinds: api.list(kinds.contents, slim=_slim_content))


def _slim_content(content: Object) -> Object:
    """Return a content's owner, source, policy and finalizers. A cluster that is backed up has many contents."""
    keys, spec = ("volumeSnapshotRef", "volumeGroupSnapshotRef", "source", "deletionPolicy"), content["spec"]
    return {"metadata": slim_metadata(content, "finalizers"), "spec": {key: spec[key] for key in keys if key in spec}}


def _of_snapshots(api: Api, list_objects: Callable[[], list[Object]]) -> list[Object]:
    return _list_unless_forbidden(list_objects) if api.group_versions(VOLUME_SNAPSHOTS.group) else []


def _of_groups(api: Api, list_objects: Callable[[GroupKinds], list[Object]]) -> list[Object]:
    kinds = group_kinds(api)
    return [] if kinds is None else _list_unless_forbidden(lambda: list_objects(kinds))


def _list_unless_forbidden(list_objects: Callable[[], list[Object]]) -> list[Object]:
    try:
        return list_objects()
    except ApiError as error:
        if error.status in (403, 404):  # 404: the group is served with other kinds or versions
            return []
        raise
