"""Point-in-time snapshots of several volumes, of the API group `groupsnapshot.storage.k8s.io`; see `snapshots` for one.

A group snapshot selects PVCs by a label; its controllers create a VolumeSnapshot of each, a member, which is deleted
with it. https://kubernetes.io/blog/2024/12/18/kubernetes-1-32-volume-group-snapshot-beta/
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.events import recent_events
from acceptance.cluster.going_contents import GOES, GoingContents, let_content_go
from acceptance.cluster.objects import GROUP_LABEL, labels, metadata, name_of
from acceptance.cluster.resources import (
    GROUP_CLASSES,
    GROUP_CONTENTS,
    GROUP_SNAPSHOTS,
    SNAPSHOT_CONTENTS,
    VOLUME_SNAPSHOTS,
    Object,
    Resource,
)
from acceptance.cluster.snapshots import (
    RestorableSnapshot,
    held_by,
    of_driver,
    own_content,
    restorable_from,
    shown_state,
)
from acceptance.cluster.waiting import wait_for
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import StorageFailure, Unsupported

GROUP = GROUP_SNAPSHOTS.group
VERSIONS = ("v1", "v1beta2", "v1beta1")
"""The versions that are understood, the best first: they differ in no field that is used here."""
SETTLE_S = 20.0
"""Seconds for controllers to finish what they have begun for a group that is no longer expected."""
_DEFAULT = "groupsnapshot.storage.kubernetes.io/is-default-class"


@dataclass(frozen=True, kw_only=True)
class GroupKinds:
    """The kinds in the version that the cluster serves."""

    version: str
    snapshots: Resource
    contents: Resource
    classes: Resource


@dataclass(frozen=True, kw_only=True)
class GroupSnapshot:
    """A group snapshot of the run, of all its PVCs whose label GROUP_LABEL has its name."""

    name: str
    namespace: str
    group_class: str
    run_id: str


@dataclass(frozen=True, kw_only=True)
class Member:
    """The snapshot of one of the PVCs, which can be restored."""

    name: str
    claim: str
    restorable: RestorableSnapshot


def group_kinds(api: Api) -> GroupKinds | None:
    """Return the kinds of group snapshots; None if the cluster serves no version of them that is understood."""
    served_versions = api.group_versions(GROUP)
    version = next((candidate for candidate in VERSIONS if candidate in served_versions), None)
    if version is None:
        return None
    kinds = (GROUP_SNAPSHOTS, GROUP_CONTENTS, GROUP_CLASSES)
    snapshots, contents, classes = (kind.of_version(version) for kind in kinds)
    return GroupKinds(version=version, snapshots=snapshots, contents=contents, classes=classes)


def group_class_of(api: Api, storage_class: StorageClass) -> str:
    """Return the VolumeGroupSnapshotClass for volumes of a class, by name. Raises Unsupported if there is none."""
    kinds = group_kinds(api)
    if kinds is None:
        raise Unsupported(f"the cluster serves no {GROUP} ({', '.join(VERSIONS)}): its definitions are not installed")
    driver = storage_class.provisioner
    names = of_driver(api.list(kinds.classes), driver=driver, default=_DEFAULT)
    if not names:
        raise Unsupported(
            f"no VolumeGroupSnapshotClass names driver {driver}, the provisioner of StorageClass {storage_class.name}"
        )
    return names[0]


def _require_kinds(api: Api) -> GroupKinds:
    kinds = group_kinds(api)
    if kinds is None:
        raise Unsupported(f"the cluster no longer serves {GROUP}: its definitions were removed in the meantime")
    return kinds


def take_group_snapshot(api: Api, group: GroupSnapshot) -> None:
    """Request a snapshot of all PVCs that carry its name."""
    kinds = _require_kinds(api)
    body = {
        "apiVersion": f"{GROUP}/{kinds.version}",
        "kind": "VolumeGroupSnapshot",
        "metadata": metadata(group.name, run_id=group.run_id),
        "spec": {
            "volumeGroupSnapshotClassName": group.group_class,
            "source": {"selector": {"matchLabels": {GROUP_LABEL: group.name}}},
        },
    }
    api.create(kinds.snapshots, body, namespace=group.namespace)


def wait_group_taken(api: Api, group: GroupSnapshot, *, claims: Sequence[Claim], timeout_s: float) -> list[Member]:
    """Wait until all members can be restored; return them in the order of `claims`.

    Their contents are set to be deleted with them. Raises StorageFailure with the state, the errors and the events,
    immediately for a member that is of another PVC.
    """
    kinds, names = _require_kinds(api), {claim.name for claim in claims}

    def foreign(pair: tuple[Object, list[Object]]) -> StorageFailure | None:
        foreign_names = {_claim_of(item) for item in pair[1]} - names - {""}
        if not foreign_names:
            return None
        return StorageFailure(
            f"group snapshot {group.name} selects PVCs by {GROUP_LABEL}={group.name}, the label of "
            f"{', '.join(sorted(names))}; found a member of {', '.join(sorted(foreign_names))} too: its controllers "
            "ignore the label"
        )

    whole, members = wait_for(
        f"group snapshot {group.name} of class {group.group_class}, and its {len(claims)} members, to be ready to use",
        look=lambda: _group_and_members(api, kinds, group),
        ready=lambda pair: _is_ready(pair[0]) and names <= {_claim_of(item) for item in pair[1] if _is_ready(item)},
        state=_state,
        fatal=foreign,
        events=lambda: recent_events(api, namespace=group.namespace, name=group.name),
        timeout_s=timeout_s,
    )
    content = str(whole["status"]["boundVolumeGroupSnapshotContentName"])
    api.patch(kinds.contents, content, {"metadata": {"labels": labels(group.run_id)}, **GOES})
    ready = {
        _claim_of(member): (name_of(member), restorable_from(member["status"]))
        for member in members
        if _is_ready(member)
    }
    for _, restorable in ready.values():
        own_content(api, restorable.content, run_id=group.run_id)
    return [Member(name=ready[claim.name][0], claim=claim.name, restorable=ready[claim.name][1]) for claim in claims]


def delete_group_snapshot(api: Api, group: GroupSnapshot, *, timeout_s: float) -> None:
    """Delete a group snapshot, and wait until it, its members and their contents no longer exist.

    It must have been taken: all else is left to its controllers, which are judged by it. Raises StorageFailure.
    """
    _remove(api, group, timeout_s=timeout_s, put_right=False)


def undo_group_snapshot(api: Api, group: GroupSnapshot, *, timeout_s: float) -> None:
    """Delete a group snapshot that may not have been taken yet, and correct what its controllers then miss."""
    kinds = _require_kinds(api)
    if api.find(kinds.snapshots, group.name, namespace=group.namespace) is not None:
        let_settle(api, group.name, namespace=group.namespace)
    _remove(api, group, timeout_s=timeout_s, put_right=True)


def let_settle(api: Api, name: str, *, namespace: str) -> None:
    """Wait until the controllers have created all that belongs to a group, or reported why they do not.

    If a group is deleted before, the snapshot controller (8.3.0) leaves the content that its status does not name, and
    keeps members whose status does not name their group. Whatever its state after SETTLE_S, the group is to be deleted.
    """
    kinds = _require_kinds(api)

    def look() -> tuple[Object, list[Object]] | None:
        whole = api.find(kinds.snapshots, name, namespace=namespace)
        return None if whole is None else (whole, _members(api, name, namespace=namespace))

    with suppress(StorageFailure):
        wait_for(
            f"group snapshot {name} to be taken or refused",
            look=look,
            ready=lambda current: current is None or _has_settled(api, kinds, *current),
            state=lambda current: _state(current) if current else "does not exist",
            timeout_s=SETTLE_S,
        )


def _has_settled(api: Api, kinds: GroupKinds, whole: Object, members: Sequence[Object]) -> bool:
    """Return whether nothing more is created for it soon, and all that was created names its group."""
    status = whole.get("status") or {}
    if whole["metadata"].get("deletionTimestamp") or status.get("error"):
        return True
    bound = status.get("boundVolumeGroupSnapshotContentName")
    content = api.find(kinds.contents, str(bound)) if bound else None
    volumes = (((content or {}).get("spec") or {}).get("source") or {}).get("volumeHandles") or []
    owned_members = [member for member in members if (member.get("status") or {}).get("volumeGroupSnapshotName")]
    return bool(volumes) and len(owned_members) == len(members) >= len(volumes)


def _remove(api: Api, group: GroupSnapshot, *, timeout_s: float, put_right: bool) -> None:
    kinds = _require_kinds(api)
    behind = {
        (SNAPSHOT_CONTENTS, content) for content in _contents_of(_members(api, group.name, namespace=group.namespace))
    }
    if (existing := api.find(kinds.snapshots, group.name, namespace=group.namespace)) is not None:
        behind.add((kinds.contents, have_group_removed(api, kinds, existing)))
    going_contents = {kind: GoingContents(api, kind=kind) for kind in (kinds.contents, SNAPSHOT_CONTENTS)}

    def look() -> list[Object]:
        whole = api.find(kinds.snapshots, group.name, namespace=group.namespace)
        members = _members(api, group.name, namespace=group.namespace)
        behind.update((SNAPSHOT_CONTENTS, content) for content in _contents_of(members))
        contents = [(kind, content) for kind, name in sorted(behind, key=str) if (content := api.find(kind, name))]
        for kind, content in contents if put_right else ():
            has_snapshot = bool(members) if kind == SNAPSHOT_CONTENTS else whole is not None
            going_contents[kind].put_right(content, has_snapshot=has_snapshot)
        return [*([whole] if whole else []), *members, *(content for _, content in contents)]

    wait_for(
        f"group snapshot {group.name}, its members and their contents to be deleted",
        look=look,
        ready=lambda objects: not objects,
        state=held_by,
        events=lambda: recent_events(api, namespace=group.namespace, name=group.name),
        timeout_s=timeout_s,
    )


def have_group_removed(api: Api, kinds: GroupKinds, existing: Object) -> str:
    """Request the deletion of a group and its contents, whatever its class says; return its content's name."""
    name, namespace = name_of(existing), str(existing["metadata"]["namespace"])
    bound = (existing.get("status") or {}).get("boundVolumeGroupSnapshotContentName")
    # The name that the snapshot controller gives; the status contains it a moment after its creation.
    content = str(bound or f"groupsnapcontent-{existing['metadata']['uid']}")
    members = _contents_of(_members(api, name, namespace=namespace))
    for kind, content_name in ((kinds.contents, content), *((SNAPSHOT_CONTENTS, member) for member in members)):
        let_content_go(api, kind, content_name)
    api.delete(kinds.snapshots, name, namespace=namespace)
    return content


def _group_and_members(api: Api, kinds: GroupKinds, group: GroupSnapshot) -> tuple[Object, list[Object]]:
    whole = api.get(kinds.snapshots, group.name, namespace=group.namespace)
    return whole, _members(api, group.name, namespace=group.namespace)


def _members(api: Api, group: str, *, namespace: str) -> list[Object]:
    """Return the snapshots that a group owns: by its name, because in its namespace that is one group's alone."""
    return [snapshot for snapshot in api.list(VOLUME_SNAPSHOTS, namespace=namespace) if group in _owners(snapshot)]


def _owners(snapshot: Object) -> list[str]:
    owners = snapshot["metadata"].get("ownerReferences") or []
    return [str(owner.get("name")) for owner in owners if owner.get("kind") == "VolumeGroupSnapshot"]


def _claim_of(member: Object) -> str:
    return str(member["spec"]["source"].get("persistentVolumeClaimName") or "")


def _contents_of(members: Sequence[Object]) -> list[str]:
    names = [(member.get("status") or {}).get("boundVolumeSnapshotContentName") for member in members]
    return [str(name) for name in names if name]


def _is_ready(item: Object) -> bool:
    return bool((item.get("status") or {}).get("readyToUse"))


def _state(current: tuple[Object, list[Object]]) -> str:
    whole, members = current
    member_states = [
        f"{_claim_of(member) or name_of(member)} {shown_state(member.get('status') or {})}" for member in members
    ]
    return "; ".join([shown_state(whole.get("status") or {}), *(member_states or ["no members"])])
