"""StorageClasses of the lab's CSI driver that get one thing wrong, and faults of all its volumes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from acceptance.cluster.api import Api
from acceptance.cluster.resources import ATTRIBUTES_CLASSES, GROUP_CLASSES, SNAPSHOT_CLASSES, STORAGE_CLASSES, Resource
from embedded_cluster.csi.driver import NAME
from embedded_cluster.csi.part import CLASS
from embedded_cluster.layout import Layout

# Workers that share a cluster must not define each other's classes.
OWN = "-".join(filter(None, [CLASS, os.environ.get("PYTEST_XDIST_WORKER")]))
RETAINING = f"{OWN}-retain"
"""the VolumeSnapshotClass that retains, and the VolumeGroupSnapshotClass"""
GROUP_BY_DRIVER = "group-by-driver"
"""no fault: with it the driver sees to fsGroup itself, as it must for `group-ignored` of a class to be one"""


def class_of(fault: str) -> str:
    """The name of the class whose volumes have that fault."""
    return f"{OWN}-{fault}"


@contextmanager
def faulty_classes(api: Api, faults: Sequence[str], *, mount_options: Sequence[str] = ()) -> Iterator[None]:
    """A StorageClass for each fault until the block ends; all else they are as the cluster's own one."""
    with _classes(api, {class_of(fault): {"fault": fault} for fault in faults}, mount_options=mount_options):
        yield


@contextmanager
def waiting_class(api: Api, fault: str) -> Iterator[str]:
    """The name of a StorageClass with that fault which makes a volume once it has a pod, until the block ends."""
    name = f"{OWN}-waits-{fault}"
    with _classes(api, {name: {"fault": fault}}, mount_options=[], volumeBindingMode="WaitForFirstConsumer"):
        yield name


@contextmanager
def discarding_class(api: Api) -> Iterator[str]:
    """The name of a StorageClass whose volumes are mounted with discard, until the block ends; it has no fault."""
    name = f"{OWN}-discard"
    with _classes(api, {name: {}}, mount_options=["discard"]):
        yield name


@contextmanager
def class_of_a_node(api: Api, node: str, *, binding: str) -> Iterator[str]:
    """The name of a StorageClass whose volumes are to be on one node alone; `binding` decides who sees to it."""
    name, host = f"{OWN}-of-a-node", {"key": "kubernetes.io/hostname", "values": [node]}
    topologies = [{"matchLabelExpressions": [host]}]
    with _classes(api, {name: {}}, mount_options=[], allowedTopologies=topologies, volumeBindingMode=binding):
        yield name


@contextmanager
def _classes(
    api: Api, parameters: Mapping[str, Mapping[str, str]], *, mount_options: Sequence[str], **more: object
) -> Iterator[None]:
    """StorageClasses by name, each with its parameters, and `more` as the API has it."""
    own = api.get(STORAGE_CLASSES, CLASS)
    same = {key: own[key] for key in ("provisioner", "allowVolumeExpansion", "reclaimPolicy", "volumeBindingMode")}
    for name, of_it in parameters.items():
        object_ = {
            **same,
            **more,
            "metadata": {"name": name},
            "parameters": dict(of_it),
            "mountOptions": list(mount_options),
        }
        api.create(STORAGE_CLASSES, object_)
    try:
        yield
    finally:
        for name in parameters:
            api.delete(STORAGE_CLASSES, name)


@contextmanager
def attributes_classes(api: Api, parameters: Mapping[str, Mapping[str, str]]) -> Iterator[list[str]]:
    """The names of VolumeAttributesClasses of the driver, one for each set of parameters, until the block ends."""
    names = {f"{OWN}-{part}": of_it for part, of_it in parameters.items()}
    for name, of_it in names.items():
        api.create(ATTRIBUTES_CLASSES, {"metadata": {"name": name}, "driverName": NAME, "parameters": dict(of_it)})
    try:
        yield list(names)
    finally:
        for name in names:
            api.delete(ATTRIBUTES_CLASSES, name)


@contextmanager
def fault_of_all(cluster: str, fault: str) -> Iterator[None]:
    """All volumes of the driver have the fault until the block ends."""
    file = Layout(cluster).csi.pool / "faults"
    file.write_text(f"{fault}\n")
    try:
        yield
    finally:
        file.unlink()


@contextmanager
def retaining(api: Api) -> Iterator[None]:
    """The driver's default class of snapshots is one that would retain what is behind them, until the block ends."""
    with _retaining(api, SNAPSHOT_CLASSES):
        yield


@contextmanager
def retaining_groups(api: Api) -> Iterator[None]:
    """The same of its default class of group snapshots."""
    with _retaining(api, GROUP_CLASSES):
        yield


@contextmanager
def _retaining(api: Api, kind: Resource) -> Iterator[None]:
    """The class itself stays, as long as the cluster: a run of another worker may have chosen it for its snapshots."""
    default = f"{kind.group.removesuffix('.k8s.io')}.kubernetes.io/is-default-class"

    def annotated(value: str) -> dict[str, object]:
        return {"metadata": {"name": RETAINING, "annotations": {default: value}}}

    if api.find(kind, RETAINING) is None:
        own = api.get(kind, CLASS)
        kept = {key: own[key] for key in ("apiVersion", "kind", "driver")} | {"deletionPolicy": "Retain"}
        api.create(kind, kept | annotated("true"))
    else:
        api.patch(kind, RETAINING, annotated("true"))
    try:
        yield
    finally:
        api.patch(kind, RETAINING, annotated("false"))
