"""Snapshots of claims as the API group `snapshot.storage.k8s.io` has them: found, taken, waited for, removed."""

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
class Taken:
    """A snapshot that can be restored. `content`: the object behind it; `size`: what restoring needs at the least."""

    content: str
    size: int | None


def serves_snapshots(api: Api) -> bool:
    """Whether the cluster knows snapshots at all."""
    return VERSION in api.group_versions(GROUP)


def snapshot_classes(api: Api, *, driver: str) -> list[str]:
    """The snapshot classes of the driver, the default one first."""
    return of_driver(api.list(SNAPSHOT_CLASSES), driver=driver, default=_DEFAULT)


def of_driver(classes: Sequence[Object], *, driver: str, default: str) -> list[str]:
    """The names of the classes that name the driver, the one first that carries the annotation `default`."""
    found = [storage_class for storage_class in classes if storage_class.get("driver") == driver]
    found.sort(key=lambda each: (each["metadata"].get("annotations") or {}).get(default) != "true")
    return [name_of(each) for each in found]


def snapshot_class_of(api: Api, storage_class: StorageClass) -> str:
    """The name of the snapshot class to use for volumes of a class. Raises Unsupported where there is none."""
    if not serves_snapshots(api):
        raise Unsupported(f"the cluster serves no {GROUP}/{VERSION}: its definitions are not installed")
    driver = storage_class.provisioner
    found = snapshot_classes(api, driver=driver)
    if not found:
        raise Unsupported(
            f"no VolumeSnapshotClass names driver {driver}, the provisioner of StorageClass {storage_class.name}"
        )
    return found[0]


def take_snapshot(api: Api, snapshot: Snapshot, *, claim: Claim) -> None:
    """Ask for a snapshot of the claim's volume."""
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


def wait_taken(api: Api, snapshot: Snapshot, *, timeout_s: float) -> Taken:
    """Wait until it can be restored, and have what is behind it go with it.

    Raises StorageFailure with its state, its error and its events.
    """
    seen = wait_for(
        f"snapshot {snapshot.name} of class {snapshot.snapshot_class} to be ready to use",
        look=lambda: api.get(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace).get("status") or {},
        ready=lambda status: bool(status.get("readyToUse")),
        state=shown_state,
        events=lambda: recent_events(api, namespace=snapshot.namespace, name=snapshot.name),
        timeout_s=timeout_s,
    )
    taken = taken_by(seen)
    own_content(api, taken.content, run_id=snapshot.run_id)
    return taken


def taken_by(status: Object) -> Taken:
    """What the status of a snapshot that is ready to use says of it."""
    size = status.get("restoreSize")
    content = str(status["boundVolumeSnapshotContentName"])
    return Taken(content=content, size=None if size is None else parse_size(str(size)))


def own_content(api: Api, content: str, *, run_id: str) -> None:
    """Have what is behind a snapshot carry the run's label, and go with its snapshot whatever its class says: before
    that goes, for controllers to hear of it in time."""
    api.patch(SNAPSHOT_CONTENTS, content, {"metadata": {"labels": labels(run_id)}, **GOES})


def delete_snapshots(api: Api, snapshots: Sequence[Snapshot], *, timeout_s: float) -> None:
    """Delete all at once, and wait for each as `delete_snapshot` does."""
    contents = [(snapshot, have_removed(api, snapshot)) for snapshot in snapshots]
    for each, content in contents:
        _wait_gone(api, each, content, timeout_s=timeout_s)


def delete_snapshot(api: Api, snapshot: Snapshot, *, timeout_s: float) -> None:
    """Delete it, and wait until it is gone, and what is behind it. Raises StorageFailure at the deadline.

    For one that was taken: all else is left to its controllers, who are judged by it.
    """
    _wait_gone(api, snapshot, have_removed(api, snapshot), timeout_s=timeout_s)


def undo_snapshot(api: Api, snapshot: Snapshot, *, timeout_s: float) -> None:
    """The same for one that may not have been taken yet: what its controllers then overlook is put right."""
    _wait_gone(api, snapshot, have_removed(api, snapshot), timeout_s=timeout_s, overlooked=GoingContents(api))


def contents_behind(api: Api, claim: Claim) -> list[str]:
    """The names of all contents of snapshots of the claim's volume, whatever has become of the snapshots."""
    volume = api.get(CLAIMS, claim.name, namespace=claim.namespace)["spec"].get("volumeName")
    handle = ((api.get(VOLUMES, volume)["spec"].get("csi") or {}).get("volumeHandle")) if volume else None
    contents = api.list(SNAPSHOT_CONTENTS)
    return sorted(
        name_of(content)
        for content in contents
        if handle is not None and (content["spec"].get("source") or {}).get("volumeHandle") == handle
    )


def _wait_gone(
    api: Api, snapshot: Snapshot, content: str | None, *, timeout_s: float, overlooked: GoingContents | None = None
) -> None:
    def look() -> list[Object]:
        existing = api.find(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
        behind = api.find(SNAPSHOT_CONTENTS, content) if content else None
        if behind is not None and overlooked is not None:
            overlooked.put_right(behind, has_snapshot=existing is not None)
        return [each for each in (existing, behind) if each is not None]

    wait_for(
        f"snapshot {snapshot.name} and its content to be deleted",
        look=look,
        ready=lambda seen: not seen,
        state=held_by,
        events=lambda: recent_events(api, namespace=snapshot.namespace, name=snapshot.name),
        timeout_s=timeout_s,
    )


def have_removed(api: Api, snapshot: Snapshot) -> str | None:
    """Ask for its deletion, and for that of what is behind it, which its class may keep; the name of that content.

    None where there is no such snapshot. The content may not be there yet.
    """
    existing = api.find(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
    if existing is None:
        return None
    bound = (existing.get("status") or {}).get("boundVolumeSnapshotContentName")
    # What the snapshot controller calls it; the status tells of it a moment after it was made.
    content = str(bound or f"snapcontent-{existing['metadata']['uid']}")
    let_content_go(api, SNAPSHOT_CONTENTS, content)  # it was made for this run alone
    api.delete(VOLUME_SNAPSHOTS, snapshot.name, namespace=snapshot.namespace)
    return content


def held_by(seen: Sequence[Object]) -> str:
    """What is still there, and which finalizers hold it."""
    return "; ".join(
        f"{name_of(each)} (finalizers: {', '.join(each['metadata'].get('finalizers') or []) or 'none'})"
        for each in seen
    )


def shown_state(status: Object) -> str:
    """How far a snapshot is, and its driver's words where there are any."""
    ready = f"readyToUse {str(status.get('readyToUse', 'unknown')).lower()}"
    error = (status.get("error") or {}).get("message")
    return f"{ready}, error: {error}" if error else ready
