"""A storage system with expansion, snapshots and clones, real on files of this host; and the ways to get them wrong."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, STORAGE_CLASSES, VOLUME_SNAPSHOTS, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError
from acceptance.text.quantities import parse_size
from selftests.lab.feature_classes import OF_PLAIN_FOLDERS, PROVISIONER, Fault, FeatureClass
from selftests.lab.feature_snapshots import Snapshots
from selftests.lab.image_volumes import ImageVolume, nest

LABELS = {"storage-acceptance-lab": "features"}
POLL_S = 0.1


@contextmanager
def feature_storage(api: Api, folder: Path, classes: Sequence[FeatureClass]) -> Iterator[None]:
    """The classes exist and are served until the block ends; then they and all their volumes are gone."""
    storage = _Storage(api, folder, {each.name: each for each in classes})
    for each in classes:
        body = {
            "metadata": {"name": each.name},
            "provisioner": PROVISIONER,
            "volumeBindingMode": "Immediate",
            "allowVolumeExpansion": True,
        }
        api.create(STORAGE_CLASSES, body)
    ended = threading.Event()
    thread = threading.Thread(target=storage.serve, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        wait_for(
            "the lab's volumes to be deleted",
            look=storage.volumes,
            ready=lambda seen: not seen,
            state=lambda seen: f"{len(seen)} volumes",
            timeout_s=60,
        )
        ended.set()
        thread.join()
        for each in classes:
            api.delete(STORAGE_CLASSES, each.name)


class _Storage:
    """The controller: one turn after the other, in a thread of its own."""

    def __init__(self, api: Api, folder: Path, classes: dict[str, FeatureClass]) -> None:
        self._api = api
        self._folder = folder
        self._classes = classes
        self._snapshots = Snapshots(api, folder, classes)

    def serve(self, ended: threading.Event) -> None:
        """Look after everything until told to end."""
        while not ended.wait(POLL_S):
            for turn in (self._claims, self._volumes, self._snapshots.turn):
                with suppress(AcceptanceError, OSError):  # seen again at the next turn
                    turn()

    def volumes(self) -> list[Object]:
        """Those of this storage."""
        return self._api.list(VOLUMES, labels="storage-acceptance-lab=features")

    def _claims(self) -> None:
        for claim in self._api.list(CLAIMS):
            lab_class = self._classes.get(claim["spec"].get("storageClassName", ""))
            if lab_class is None:
                continue
            if claim["status"].get("phase") == "Pending":
                self._provide(claim, lab_class)
            elif claim["status"].get("phase") == "Bound":
                self._expand(claim, lab_class)

    def _provide(self, claim: Object, lab_class: FeatureClass) -> None:
        name = f"lab-{claim['metadata']['uid']}"
        if self._api.find(VOLUMES, name) is not None:
            return
        volume = ImageVolume(self._folder, name)
        if not (volume.mounted.is_mount() or volume.mounted.is_symlink()):
            self._fill(volume, claim, lab_class)
        path = volume.mounted
        if lab_class.fault == "shows each node its own":
            for each in ("one", "other"):
                (path / each).mkdir(exist_ok=True)
                (path / each).chmod(0o777)
            path = path / "now"
            if not path.is_symlink():
                path.symlink_to("one")
        source = "hostPath" if lab_class.fault in OF_PLAIN_FOLDERS else "local"
        reference = {key: claim["metadata"][key] for key in ("name", "namespace", "uid")}
        anywhere = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}]}
        spec = {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "storageClassName": lab_class.name,
            "persistentVolumeReclaimPolicy": "Delete",
            "claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", **reference},
            source: {"path": str(path)},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [anywhere]}},
        }
        # With the annotation the cluster's own volume controller leaves the deletion to this provisioner.
        annotations = {"pv.kubernetes.io/provisioned-by": PROVISIONER}
        metadata = {"name": name, "labels": LABELS, "annotations": annotations}
        self._api.create(VOLUMES, {"metadata": metadata, "spec": spec})

    def _fill(self, volume: ImageVolume, claim: Object, lab_class: FeatureClass) -> None:
        """Make the volume, with what the claim wants on it."""
        size = parse_size(claim["spec"]["resources"]["requests"]["storage"])
        wanted = claim["spec"].get("dataSource") or {}
        namespace, fault = claim["metadata"]["namespace"], lab_class.fault
        if wanted.get("kind") == "VolumeSnapshot":
            snapshot = self._api.get(VOLUME_SNAPSHOTS, wanted["name"], namespace=namespace)
            content = snapshot["status"]["boundVolumeSnapshotContentName"]
            if fault == "snapshots are taken late":
                source = self._volume_of(snapshot["spec"]["source"]["persistentVolumeClaimName"], namespace)
                source.copy_to(self._snapshots.file(content))
            volume.make(size, source=None if fault == "snapshots are empty" else self._snapshots.file(content))
        elif wanted.get("kind") == "PersistentVolumeClaim":
            source = self._volume_of(wanted["name"], namespace)
            if fault == "clones share":
                volume.mounted.symlink_to(source.mounted)
                return
            copy = self._folder / f"{claim['metadata']['uid']}.copy"
            source.copy_to(copy)
            volume.make(size, source=copy)
            copy.unlink()
        else:
            volume.make(size)

    def _volume_of(self, claim: str, namespace: str) -> ImageVolume:
        return ImageVolume(self._folder, self._api.get(CLAIMS, claim, namespace=namespace)["spec"]["volumeName"])

    def _expand(self, claim: Object, lab_class: FeatureClass) -> None:
        wanted, has = claim["spec"]["resources"]["requests"], claim["status"]["capacity"]
        if parse_size(wanted["storage"]) <= parse_size(has["storage"]):
            return
        name, namespace = claim["spec"]["volumeName"], claim["metadata"]["namespace"]
        if lab_class.fault != "grows in name only":
            ImageVolume(self._folder, name).grow(parse_size(wanted["storage"]))
        self._api.patch(VOLUMES, name, {"spec": {"capacity": wanted}})
        status = {"status": {"capacity": wanted}}
        self._api.patch(CLAIMS, f"{claim['metadata']['name']}/status", status, namespace=namespace)

    def _volumes(self) -> None:
        for item in self.volumes():
            lab_class = self._classes.get(item["spec"]["storageClassName"])
            volume = ImageVolume(self._folder, item["metadata"]["name"])
            if item["status"].get("phase") in ("Released", "Failed"):
                if volume.mounted.is_symlink():
                    volume.mounted.unlink()
                volume.remove()
                self._api.delete(VOLUMES, item["metadata"]["name"])
            elif lab_class is not None:
                self._spoil(volume, lab_class.fault)

    def _spoil(self, volume: ImageVolume, fault: Fault | None) -> None:
        if fault == "forgets groups":
            for each in (volume.mounted, *volume.mounted.glob("file")):
                _take_group_away(each)
        elif fault == "has mounts inside":
            folder = volume.mounted / "folder"
            if (folder / "mark").exists():
                nest(folder)
        elif fault == "shows each node its own" and any((volume.mounted / "one").iterdir()):
            now = volume.mounted / "now"
            if now.readlink() != Path("other"):
                now.unlink()
                now.symlink_to("other")


def _take_group_away(path: Path) -> None:
    os.chown(path, -1, 0)
    path.chmod(path.stat().st_mode & ~stat.S_ISGID)
