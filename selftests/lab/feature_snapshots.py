"""The lab's snapshots: the real kinds on a real API server, each a copy of a volume's file at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, SNAPSHOT_CLASSES, SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, Object
from selftests.lab.definitions import defined
from selftests.lab.feature_classes import PROVISIONER, FeatureClass
from selftests.lab.image_volumes import ImageVolume

DEFINITIONS = Path(__file__).parent / "snapshot_crds.yaml"
SNAPSHOT_CLASS = "lab-snapshots"


@contextmanager
def snapshot_kinds(api: Api) -> Iterator[None]:
    """The cluster knows snapshots, and one class of them of this storage, until the block ends.

    The class would retain what is behind a snapshot: the suite must have it removed all the same.
    """
    body = {"driver": PROVISIONER, "deletionPolicy": "Retain", "metadata": {"name": SNAPSHOT_CLASS}}
    kind = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotClass"}
    with defined(api, list(yaml.safe_load_all(DEFINITIONS.read_text(encoding="utf-8")))):
        api.create(SNAPSHOT_CLASSES, kind | body)
        yield
        api.delete(SNAPSHOT_CLASSES, SNAPSHOT_CLASS)


class Snapshots:
    """Those of the classes' volumes in a folder; `turn` brings them one step further."""

    def __init__(self, api: Api, folder: Path, classes: Mapping[str, FeatureClass]) -> None:
        self._api = api
        self._folder = folder
        self._classes = classes

    def turn(self) -> None:
        """Take those that are asked for, and remove what is behind those that are gone."""
        if not self._api.group_versions(VOLUME_SNAPSHOTS.group):
            return
        for item in self._api.list(VOLUME_SNAPSHOTS):
            if not item.get("status"):
                self._take(item)
        for item in self._api.list(SNAPSHOT_CONTENTS):
            self._forget(item)

    def file(self, content: str) -> Path:
        """What is behind a snapshot."""
        return self._folder / f"{content}.copy"

    def _take(self, item: Object) -> None:
        name, namespace = item["metadata"]["name"], item["metadata"]["namespace"]
        claim = self._api.get(CLAIMS, item["spec"]["source"]["persistentVolumeClaimName"], namespace=namespace)
        lab_class = self._classes[claim["spec"]["storageClassName"]]
        content = f"snapcontent-{item['metadata']['uid']}"
        ImageVolume(self._folder, claim["spec"]["volumeName"]).copy_to(self.file(content))
        spec = {
            "deletionPolicy": "Retain",
            "driver": PROVISIONER,
            "source": {"volumeHandle": claim["spec"]["volumeName"]},
            "volumeSnapshotRef": {key: item["metadata"][key] for key in ("name", "namespace", "uid")},
            "volumeSnapshotClassName": item["spec"]["volumeSnapshotClassName"],
        }
        kind = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotContent"}
        self._api.create(SNAPSHOT_CONTENTS, {**kind, "metadata": {"name": content}, "spec": spec})
        status = {"boundVolumeSnapshotContentName": content, "restoreSize": claim["status"]["capacity"]["storage"]}
        if lab_class.fault == "snapshots never get ready":
            status |= {"readyToUse": False, "error": {"message": "the pool has no room for snapshots"}}
        else:
            status |= {"readyToUse": True}
        self._api.patch(VOLUME_SNAPSHOTS, f"{name}/status", {"status": status}, namespace=namespace)

    def _forget(self, content: Object) -> None:
        """What is behind a snapshot goes with it, where it is not to be retained."""
        name, of = content["metadata"]["name"], content["spec"]["volumeSnapshotRef"]
        there = self._api.find(VOLUME_SNAPSHOTS, of["name"], namespace=of["namespace"]) is not None
        if not there and content["spec"]["deletionPolicy"] == "Delete":
            self.file(name).unlink(missing_ok=True)
            self._api.delete(SNAPSHOT_CONTENTS, name)
