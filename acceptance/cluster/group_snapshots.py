"""Snapshots of several volumes at one moment, of the API group `groupsnapshot.storage.k8s.io`: as `snapshots` has one.

A group snapshot selects PVCs by a label; its controllers make a VolumeSnapshot of each, a member, which goes with it.
https://kubernetes.io/blog/2024/12/18/kubernetes-1-32-volume-group-snapshot-beta/
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
from acceptance.cluster.snapshots import Taken, held_by, of_driver, own_content, shown_state, taken_by
from acceptance.cluster.waiting import wait_for
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import StorageFailure, Unsupported

GROUP = GROUP_SNAPSHOTS.group
VERSIONS = ("v1", "v1beta2", "v1beta1")
"""that are understood, the best first: they differ in no field that is used here"""
SETTLE_S = 20.0
"""for controllers to make of a group that is not wanted any more what they have begun"""
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
    """The snapshot of one of the PVCs that can be restored."""

    name: str
    claim: str
    taken: Taken


def group_kinds(api: Api) -> GroupKinds | None:
    """The kinds of group snapshots; None where the cluster serves no version of them that is understood."""
    served = api.group_versions(GROUP)
    version = next((each for each in VERSIONS if each in served), None)
    if version is None:
        return None
    kinds = (GROUP_SNAPSHOTS, GROUP_CONTENTS, GROUP_CLASSES)
    snapshots, contents, classes = (kind.of_version(version) for kind in kinds)
    return GroupKinds(version=version, snapshots=snapshots, contents=contents, classes=classes)


def group_class_of(api: Api, storage_class: StorageClass) -> str:
    """The name of the VolumeGroupSnapshotClass for volumes of a class. Raises Unsupported where there is none."""
    kinds = group_kinds(api)
    if kinds is None:
        raise Unsupported(f"the cluster serves no {GROUP} ({', '.join(VERSIONS)}): its definitions are not installed")
    driver = storage_class.provisioner
    found = of_driver(api.list(kinds.classes), driver=driver, default=_DEFAULT)
    if not found:
        raise Unsupported(
            f"no VolumeGroupSnapshotClass names driver {driver}, the provisioner of StorageClass {storage_class.name}"
        )
    return found[0]


def _served(api: Api) -> GroupKinds:
    kinds = group_kinds(api)
    if kinds is None:
        raise Unsupported(f"the cluster serves no {GROUP} any more: its definitions were there, and are removed")
    return kinds


def take_group_snapshot(api: Api, group: GroupSnapshot) -> None:
    """Ask for a snapshot of all PVCs that carry its name."""
    kinds = _served(api)
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
    """Wait until all members can be restored, and have what is behind them go with them; in the order of `claims`.

    Raises StorageFailure with the state, the errors and the events, at once for a member that is of another PVC.
    """
    kinds, wanted = _served(api), {claim.name for claim in claims}

    def foreign(seen: tuple[Object, list[Object]]) -> StorageFailure | None:
        others = {_claim_of(each) for each in seen[1]} - wanted - {""}
        if not others:
            return None
        return StorageFailure(
            f"group snapshot {group.name} selects PVCs by {GROUP_LABEL}={group.name}, the label of "
            f"{', '.join(sorted(wanted))}; found a member of {', '.join(sorted(others))} too: its controllers do not "
            "heed the label"
        )

    whole, members = wait_for(
        f"group snapshot {group.name} of class {group.group_class}, and its {len(claims)} members, to be ready to use",
        look=lambda: _group_and_members(api, kinds, group),
        ready=lambda seen: _is_ready(seen[0]) and wanted <= {_claim_of(each) for each in seen[1] if _is_ready(each)},
        state=_state,
        fatal=foreign,
        events=lambda: recent_events(api, namespace=group.namespace, name=group.name),
        timeout_s=timeout_s,
    )
    content = str(whole["status"]["boundVolumeGroupSnapshotContentName"])
    api.patch(kinds.contents, content, {"metadata": {"labels": labels(group.run_id)}, **GOES})
    found = {
        _claim_of(member): (name_of(member), taken_by(member["status"])) for member in members if _is_ready(member)
    }
    for _, taken in found.values():
        own_content(api, taken.content, run_id=group.run_id)
    return [Member(name=found[claim.name][0], claim=claim.name, taken=found[claim.name][1]) for claim in claims]


def delete_group_snapshot(api: Api, group: GroupSnapshot, *, timeout_s: float) -> None:
    """Delete it, and wait until it, its members and all that is behind them are gone. Raises StorageFailure.

    For one that was taken: all else is left to its controllers, who are judged by it.
    """
    _remove(api, group, timeout_s=timeout_s, put_right=False)


def undo_group_snapshot(api: Api, group: GroupSnapshot, *, timeout_s: float) -> None:
    """The same for one that may not have been taken yet: what its controllers then overlook is put right."""
    kinds = _served(api)
    if api.find(kinds.snapshots, group.name, namespace=group.namespace) is not None:
        let_settle(api, group.name, namespace=group.namespace)
    _remove(api, group, timeout_s=timeout_s, put_right=True)


def let_settle(api: Api, name: str, *, namespace: str) -> None:
    """Wait a while until the controllers have made all that belongs to a group, or told why they do not.

    Of one that is deleted before, the snapshot controller (8.3.0) leaves the content that its status does not name, and
    keeps members whose status does not say whose they are. Whatever it looks like after SETTLE_S, it is to be deleted.
    """
    kinds = _served(api)

    def look() -> tuple[Object, list[Object]] | None:
        whole = api.find(kinds.snapshots, name, namespace=namespace)
        return None if whole is None else (whole, _members(api, name, namespace=namespace))

    with suppress(StorageFailure):
        wait_for(
            f"group snapshot {name} to be taken or refused",
            look=look,
            ready=lambda seen: seen is None or _has_settled(api, kinds, *seen),
            state=lambda seen: _state(seen) if seen else "gone",
            timeout_s=SETTLE_S,
        )


def _has_settled(api: Api, kinds: GroupKinds, whole: Object, members: Sequence[Object]) -> bool:
    """Whether nothing more comes of it soon, and all that came knows whose it is."""
    status = whole.get("status") or {}
    if whole["metadata"].get("deletionTimestamp") or status.get("error"):
        return True
    bound = status.get("boundVolumeGroupSnapshotContentName")
    content = api.find(kinds.contents, str(bound)) if bound else None
    volumes = (((content or {}).get("spec") or {}).get("source") or {}).get("volumeHandles") or []
    known = [member for member in members if (member.get("status") or {}).get("volumeGroupSnapshotName")]
    return bool(volumes) and len(known) == len(members) >= len(volumes)


def _remove(api: Api, group: GroupSnapshot, *, timeout_s: float, put_right: bool) -> None:
    kinds = _served(api)
    behind = {
        (SNAPSHOT_CONTENTS, content) for content in _contents_of(_members(api, group.name, namespace=group.namespace))
    }
    if (found := api.find(kinds.snapshots, group.name, namespace=group.namespace)) is not None:
        behind.add((kinds.contents, have_group_removed(api, kinds, found)))
    overlooked = {kind: GoingContents(api, kind=kind) for kind in (kinds.contents, SNAPSHOT_CONTENTS)}

    def look() -> list[Object]:
        whole = api.find(kinds.snapshots, group.name, namespace=group.namespace)
        members = _members(api, group.name, namespace=group.namespace)
        behind.update((SNAPSHOT_CONTENTS, content) for content in _contents_of(members))
        contents = [(kind, each) for kind, name in sorted(behind, key=str) if (each := api.find(kind, name))]
        for kind, each in contents if put_right else ():
            has_snapshot = bool(members) if kind == SNAPSHOT_CONTENTS else whole is not None
            overlooked[kind].put_right(each, has_snapshot=has_snapshot)
        return [*([whole] if whole else []), *members, *(each for _, each in contents)]

    wait_for(
        f"group snapshot {group.name}, its members and their contents to be deleted",
        look=look,
        ready=lambda seen: not seen,
        state=held_by,
        events=lambda: recent_events(api, namespace=group.namespace, name=group.name),
        timeout_s=timeout_s,
    )


def have_group_removed(api: Api, kinds: GroupKinds, found: Object) -> str:
    """Ask for the deletion of a group snapshot, and of all behind it, which its class may keep; its content's name."""
    name, namespace = name_of(found), str(found["metadata"]["namespace"])
    bound = (found.get("status") or {}).get("boundVolumeGroupSnapshotContentName")
    # What the snapshot controller calls it; the status tells of it a moment after it was made.
    content = str(bound or f"groupsnapcontent-{found['metadata']['uid']}")
    members = _contents_of(_members(api, name, namespace=namespace))
    for kind, each in ((kinds.contents, content), *((SNAPSHOT_CONTENTS, member) for member in members)):
        let_content_go(api, kind, each)
    api.delete(kinds.snapshots, name, namespace=namespace)
    return content


def _group_and_members(api: Api, kinds: GroupKinds, group: GroupSnapshot) -> tuple[Object, list[Object]]:
    whole = api.get(kinds.snapshots, group.name, namespace=group.namespace)
    return whole, _members(api, group.name, namespace=group.namespace)


def _members(api: Api, group: str, *, namespace: str) -> list[Object]:
    """The snapshots that a group owns: by its name, for in its namespace that is one group's alone."""
    return [each for each in api.list(VOLUME_SNAPSHOTS, namespace=namespace) if group in _owners(each)]


def _owners(snapshot: Object) -> list[str]:
    owners = snapshot["metadata"].get("ownerReferences") or []
    return [str(owner.get("name")) for owner in owners if owner.get("kind") == "VolumeGroupSnapshot"]


def _claim_of(member: Object) -> str:
    return str(member["spec"]["source"].get("persistentVolumeClaimName") or "")


def _contents_of(members: Sequence[Object]) -> list[str]:
    names = [(member.get("status") or {}).get("boundVolumeSnapshotContentName") for member in members]
    return [str(name) for name in names if name]


def _is_ready(seen: Object) -> bool:
    return bool((seen.get("status") or {}).get("readyToUse"))


def _state(seen: tuple[Object, list[Object]]) -> str:
    whole, members = seen
    told = [f"{_claim_of(member) or name_of(member)} {shown_state(member.get('status') or {})}" for member in members]
    return "; ".join([shown_state(whole.get("status") or {}), *(told or ["no members"])])
