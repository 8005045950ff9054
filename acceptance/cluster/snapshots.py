"""Snapshots of claims as the API group `snapshot.storage.k8s.io` has them: found, taken, waited for, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.events import recent_events
from acceptance.cluster.going_contents import GOES, GoingContents, let_content_go
from acceptance.cluster.objects import labels, metadata, name_of
from acceptance.cluster.resources import (
    CLAIMS,
    SNAPSHOT_CLASSES,
    SNAPSHOT_CONTENTS,
    VOLUME_SNAPSHOTS,
    VOLUMES,
    Object,
)
from acceptance.cluster.waiting import wait_for
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import Unsupported
from acceptance.text.quantities import parse_size

GROUP = VOLUME_SNAPSHOTS.group
VERSION = "v1"
_DEFAULT = "snapshot.storage.kubernetes.io/is-default-class"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A snapshot of the run."""

    name: str
    namespace: str
    snapshot_class: str
    run_id: str


@dataclass(frozen=True, kw_only=True)
class RestorableSnapshot:
    """A snapshot that can be restored. `content`: the object behind it; `size`: the bytes that restoring needs."""

    content: str
    size: int | None


def serves_snapshots(api: Api) -> bool:
    """Return whether the cluster serves snapshots at all."""
    return VERSION in api.group_versions(GROUP)


def snapshot_classes(api: Api, *, driver: str) -> list[str]:
    """Return the snapshot classes of the driver, the default one first."""
    return of_driver(api.list(SNAPSHOT_CLASSES), driver=driver, default=_DEFAULT)


def of_driver(classes: Sequence[Object], *, driver: str, default: str) -> list[str]:
    """Return the names of the classes that name the driver, the one with the annotation `default` first."""
    driver_classes = [item for item in classes if item.get("driver") == driver]
    driver_classes.sort(key=lambda item: (item["metadata"].get("annotations") or {}).get(default) != "true")
    return [name_of(item) for item in driver_classes]


def snapshot_class_of(api: Api, storage_class: StorageClass) -> str:
    """Return the snapshot class to use for volumes of a class, by name. Raises Unsupported if there is none."""
    if not serves_snapshots(api):
        raise Unsupported(f"the cluster serves no {GROUP}/{VERSION}: its definitions are not installed")
    driver = storage_class.provisioner
    names = snapshot_classes(api, driver=driver)
    if not names:
        raise Unsupported(
            f"no VolumeSnapshotClass names driver {driver}, the provisioner of StorageClass {storage_class.name}"
        )
    return names[0]


def take_snapshot(api: Api, snapshot: Snapshot, *, claim: Claim) -> None:
    """Request a snapshot of the claim's volume."""
    body = {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "VolumeSnapshot",
        "metadata": metadata(snapshot.name, run_id=snapshot.run_id),
        "spec": {
            "volumeSnapshotClassName": snapshot.snapshot_class,
            "source": {"persistentVolumeClaimName": claim.name},
        },
    }
    api.create(VOLUME_SNAPSHOTS, body, namespace=snapshot.namespace)


def wait_taken(api: Api, snapshot: Snapshot, *, timeout_s: float) -> RestorableSnapshot:
    """Wait until the snapshot can be restored, and have its content deleted with it.

    Raises StorageFailure with its state, its error and its events.
    """
    last_status = wait_for(
        f"snapshot {snapshot.name} of class {snapshot.snapshot_class} to be ready to use",
        look=lambda: api.get(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace).get("status") or {},
        ready=lambda status: bool(status.get("readyToUse")),
        state=shown_state,
        events=lambda: recent_events(api, namespace=snapshot.namespace, name=snapshot.name),
        timeout_s=timeout_s,
    )
    restorable = restorable_from(last_status)
    own_content(api, restorable.content, run_id=snapshot.run_id)
    return restorable


def restorable_from(status: Object) -> RestorableSnapshot:
    """Return what the status of a snapshot that is ready to use contains of it."""
    size = status.get("restoreSize")
    content = str(status["boundVolumeSnapshotContentName"])
    return RestorableSnapshot(content=content, size=None if size is None else parse_size(str(size)))


def own_content(api: Api, content: str, *, run_id: str) -> None:
    """Have a content carry the run's label, and be deleted with its snapshot whatever its class says.

    To be called before the snapshot is deleted, so that controllers are notified in time.
    """
    api.patch(SNAPSHOT_CONTENTS, content, {"metadata": {"labels": labels(run_id)}, **GOES})


def delete_snapshots(api: Api, snapshots: Sequence[Snapshot], *, timeout_s: float) -> None:
    """Delete all at the same time, and wait for each as `delete_snapshot` does."""
    contents = [(snapshot, have_removed(api, snapshot)) for snapshot in snapshots]
    for snapshot, content in contents:
        _wait_gone(api, snapshot, content, timeout_s=timeout_s)


def delete_snapshot(api: Api, snapshot: Snapshot, *, timeout_s: float) -> None:
    """Delete a snapshot, and wait until it and its content no longer exist. Raises StorageFailure at the deadline.

    It must have been taken: all else is left to its controllers, which are judged by it.
    """
    _wait_gone(api, snapshot, have_removed(api, snapshot), timeout_s=timeout_s)


def undo_snapshot(api: Api, snapshot: Snapshot, *, timeout_s: float) -> None:
    """Delete a snapshot that may not have been taken yet, and correct what its controllers then miss."""
    _wait_gone(api, snapshot, have_removed(api, snapshot), timeout_s=timeout_s, going_contents=GoingContents(api))


def contents_behind(api: Api, claim: Claim) -> list[str]:
    """Return the names of all contents of snapshots of the claim's volume, whatever became of the snapshots."""
    volume = api.get(CLAIMS, claim.name, namespace=claim.namespace)["spec"].get("volumeName")
    handle = ((api.get(VOLUMES, volume)["spec"].get("csi") or {}).get("volumeHandle")) if volume else None
    contents = api.list(SNAPSHOT_CONTENTS)
    return sorted(
        name_of(content)
        for content in contents
        if handle is not None and (content["spec"].get("source") or {}).get("volumeHandle") == handle
    )


def _wait_gone(
    api: Api, snapshot: Snapshot, content: str | None, *, timeout_s: float, going_contents: GoingContents | None = None
) -> None:
    def look() -> list[Object]:
        existing = api.find(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
        behind = api.find(SNAPSHOT_CONTENTS, content) if content else None
        if behind is not None and going_contents is not None:
            going_contents.put_right(behind, has_snapshot=existing is not None)
        return [item for item in (existing, behind) if item is not None]

    wait_for(
        f"snapshot {snapshot.name} and its content to be deleted",
        look=look,
        ready=lambda objects: not objects,
        state=held_by,
        events=lambda: recent_events(api, namespace=snapshot.namespace, name=snapshot.name),
        timeout_s=timeout_s,
    )


def have_removed(api: Api, snapshot: Snapshot) -> str | None:
    """Request the deletion of a snapshot and of its content, which its class may keep; return that content's name.

    None if there is no such snapshot. The content may not exist yet.
    """
    existing = api.find(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
    if existing is None:
        return None
    bound = (existing.get("status") or {}).get("boundVolumeSnapshotContentName")
    # The name that the snapshot controller gives; the status contains it a moment after its creation.
    content = str(bound or f"snapcontent-{existing['metadata']['uid']}")
    let_content_go(api, SNAPSHOT_CONTENTS, content)  # it was created for this run alone
    api.delete(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
    return content


def held_by(objects: Sequence[Object]) -> str:
    """Return the objects that still exist, and which finalizers hold them, in words."""
    return "; ".join(
        f"{name_of(item)} (finalizers: {', '.join(item['metadata'].get('finalizers') or []) or 'none'})"
        for item in objects
    )


def shown_state(status: Object) -> str:
    """Return whether a snapshot is ready, and its driver's error if there is one."""
    ready = f"readyToUse {str(status.get('readyToUse', 'unknown')).lower()}"
    error = (status.get("error") or {}).get("message")
    return f"{ready}, error: {error}" if error else ready
