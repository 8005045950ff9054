"""A provisioner whose classes misbehave: each volume is a folder or a loop device of this host, as the class says."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, STORAGE_CLASSES, VOLUMES, Object
from acceptance.text.errors import AcceptanceError
from embedded_cluster.commands import run
from selftests.lab.background import in_background

PROVISIONER = "lab.storage-acceptance/folder"
LABELS = {"storage-acceptance-lab": "yes"}
# With this the cluster's own volume controller leaves the deletion to this provisioner.
PROVISIONED_BY = {"pv.kubernetes.io/provisioned-by": PROVISIONER}
FINALIZER = "lab.storage-acceptance/held"
POLL_S = 0.5
"""Its lists of all claims and volumes were a tenth of what the API server was asked for in `make test-full`."""


@dataclass(frozen=True, kw_only=True)
class LabClass:
    """How volumes of the class behave. `folder`: where they lie; None: they are never provisioned.

    `more_folders`: they lie in those, too, each where the fewest are.
    `binds_after_s`: so long a claim waits for its volume. `holds`: what has a finalizer of the lab that nobody takes
    away before `let_go` does. `only_while`: no volume is made while that is not set.
    """

    name: str
    folder: Path | None
    more_folders: tuple[Path, ...] = ()
    never_deletes: bool = False
    binds_after_s: float = 0.0
    holds: Literal["claim", "volume"] | None = None
    reclaim_policy: str = "Delete"
    provisioner: str = PROVISIONER
    parameters: dict[str, str] = field(default_factory=dict)
    only_while: threading.Event | None = None


@contextmanager
def lab_classes(api: Api, classes: Sequence[LabClass]) -> Iterator[None]:
    """The classes exist and are served until the block ends; then they and all their volumes are gone."""
    for storage_class in classes:
        api.create(STORAGE_CLASSES, _manifest(storage_class))
    try:
        with in_background(partial(_serve, api, {storage_class.name: storage_class for storage_class in classes})):
            yield
    finally:
        names = {storage_class.name for storage_class in classes}
        let_go(api, names)
        for volume in api.list(VOLUMES, labels="storage-acceptance-lab=yes"):
            if volume["spec"]["storageClassName"] in names:
                _remove(api, volume)
        for storage_class in classes:
            api.delete(STORAGE_CLASSES, storage_class.name)


def let_go(api: Api, classes: Collection[str]) -> None:
    """Take the lab's own finalizer away from all claims and volumes of the classes."""
    for resource in (CLAIMS, VOLUMES):
        for item in api.list(resource):
            if item["spec"].get("storageClassName") not in classes:
                continue
            kept = [finalizer for finalizer in item["metadata"].get("finalizers") or [] if finalizer != FINALIZER]
            if len(kept) < len(item["metadata"].get("finalizers") or []):
                change = {"metadata": {"finalizers": kept}}
                api.patch(resource, item["metadata"]["name"], change, namespace=item["metadata"].get("namespace"))


def _manifest(lab_class: LabClass) -> Object:
    return {
        "metadata": {"name": lab_class.name},
        "provisioner": lab_class.provisioner,
        "parameters": lab_class.parameters,
        "reclaimPolicy": lab_class.reclaim_policy,
        "volumeBindingMode": "Immediate",
    }


def _serve(api: Api, classes: dict[str, LabClass], ended: threading.Event) -> None:
    while not ended.wait(POLL_S):
        with suppress(AcceptanceError, OSError):  # seen again at the next turn
            for claim in api.list(CLAIMS, from_cache=True):
                lab_class = classes.get(claim["spec"].get("storageClassName", ""))
                if lab_class and lab_class.folder and claim["status"].get("phase") == "Pending":
                    _provide(api, lab_class, claim)
            for volume in api.list(VOLUMES, labels="storage-acceptance-lab=yes", from_cache=True):
                _look_after(api, classes.get(volume["spec"]["storageClassName"]), volume)


def _provide(api: Api, lab_class: LabClass, claim: Object) -> None:
    assert lab_class.folder is not None
    if lab_class.only_while is not None and not lab_class.only_while.is_set():
        return
    name = f"lab-{claim['metadata']['uid']}"
    if api.find(VOLUMES, name) is not None or _age_s(claim) < lab_class.binds_after_s:
        return
    block = claim["spec"].get("volumeMode") == "Block"
    inside = min(
        (lab_class.folder, *lab_class.more_folders), key=lambda more_folder: len(list(more_folder.glob("lab-*")))
    )
    path = _device(inside / name, claim) if block else _folder(inside / name)
    reference = {key: claim["metadata"][key] for key in ("name", "namespace", "uid")}
    spec = {
        "capacity": claim["spec"]["resources"]["requests"],
        "accessModes": claim["spec"]["accessModes"],
        "storageClassName": lab_class.name,
        "persistentVolumeReclaimPolicy": lab_class.reclaim_policy,
        "claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", **reference},
        # Of type local, so that no kubelet and no controller deletes it by itself: that is this provisioner's part.
        "local": {"path": str(path)},
        "volumeMode": "Block" if block else "Filesystem",
        "nodeAffinity": {
            "required": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}]}]
            }
        },
    }
    metadata: Object = {"name": name, "labels": LABELS, "annotations": PROVISIONED_BY}
    if lab_class.holds == "volume":
        metadata["finalizers"] = [FINALIZER]
    if lab_class.holds == "claim":
        held = {"metadata": {"finalizers": [*claim["metadata"].get("finalizers", []), FINALIZER]}}
        api.patch(CLAIMS, reference["name"], held, namespace=reference["namespace"])
    api.create(VOLUMES, {"metadata": metadata, "spec": spec})


def _age_s(item: Object) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(item["metadata"]["creationTimestamp"])).total_seconds()


def _folder(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    return folder


def _device(file: Path, claim: Object) -> Path:
    """A block device on a sparse file of the size that is claimed."""
    with file.open("wb") as made:
        made.truncate(int(claim["spec"]["resources"]["requests"]["storage"]))
    return Path(run(["losetup", "--find", "--show", file]).strip())


def _look_after(api: Api, lab_class: LabClass | None, volume: Object) -> None:
    if lab_class is None:
        return
    released = volume["status"].get("phase") in ("Released", "Failed")
    if released and volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete" and not lab_class.never_deletes:
        _remove(api, volume)


def _remove(api: Api, volume: Object) -> None:
    path = volume["spec"]["local"]["path"]
    if volume["spec"].get("volumeMode") == "Block":
        file = run(["losetup", "--noheadings", "--output", "BACK-FILE", path]).strip()
        run(["losetup", "--detach", path])
        Path(file).unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)
    api.delete(VOLUMES, volume["metadata"]["name"])
