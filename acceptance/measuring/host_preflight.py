"""Checks of this host before anything is written, and its description for the report."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Collection, Sequence

import psutil

from acceptance.cluster.preflight import Preflight
from acceptance.results.clusters import Cluster, Image, Node, StorageClass
from acceptance.settings.run import Settings
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.redaction import redact

PROVISIONER = "directory"
IMAGE = "fio on this host"


def run_host_preflight(settings: Settings) -> Preflight:
    """Check everything that the run depends on, without writing.

    Raises EnvironmentFailure without fio, which writes the test files for every load generator.
    """
    require_programs({"fio"})
    beside = [] if settings.class_beside is None else [settings.class_beside]
    cluster = describe_host([*settings.storage_class, *beside])
    candidates: dict[str | None, StorageClass] = {
        storage_class.name: storage_class
        for storage_class in cluster.storage_classes
        if storage_class.name in settings.storage_class
    }
    return Preflight(cluster=cluster, candidates=candidates, image=cluster.image.reference)


def require_programs(names: Collection[str]) -> None:
    """Check that the load generators are in PATH. Raises EnvironmentFailure naming all that are missing."""
    missing = sorted(name for name in names if shutil.which(name) is None)
    if missing:
        raise EnvironmentFailure(
            f"--storage-cluster host runs load generators on this host: expected {', '.join(missing)} in PATH, found "
            f"none; install the system's packages, on Debian with `apt-get install {' '.join(missing)}`"
        )


def describe_host(directories: Sequence[str]) -> Cluster:
    """Return this host described as a cluster: the host is the only node, its directories are the StorageClasses."""
    node = Node(
        name=platform.node(),
        kubelet="",
        kernel=platform.release(),
        os_image=_system(),
        container_runtime="",
        architecture=platform.machine(),
    )
    return Cluster(
        kind="host",
        kubernetes_version="",
        nodes=[node],
        storage_classes=[_describe(directory) for directory in directories],
        image=Image(reference=IMAGE, digest=None),
        identity=f"host {platform.node()}",
    )


def _describe(directory: str) -> StorageClass:
    return StorageClass(
        name=directory,
        provisioner=PROVISIONER,
        parameters=_mount(directory),
        binding_mode="",
        reclaim_policy="",
        allow_expansion=False,
        default=False,
    )


def _mount(directory: str) -> dict[str, str]:
    """Return the mount that holds the directory. Of several mounts on one path, the last one is visible."""
    there = os.path.realpath(directory)
    mounts = [partition for partition in psutil.disk_partitions(all=True) if _is_below(there, partition.mountpoint)]
    if not mounts:
        return {}
    _, mount = max(enumerate(mounts), key=lambda entry: (len(entry[1].mountpoint), entry[0]))
    return {
        "file system": mount.fstype,
        "device": redact(mount.device),
        "mounted on": mount.mountpoint,
        "mount options": mount.opts,
    }


def _is_below(path: str, mountpoint: str) -> bool:
    return os.path.commonpath([path, mountpoint]) == mountpoint


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()
