"""The state file of a cluster: what was started and where it listens, written as a whole and renamed."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from embedded_cluster.layout import Layout

CEPH, CSI, LONGHORN = "ceph", "csi", "longhorn"
PARTS = (CEPH, CSI, LONGHORN)
"""The parts that a cluster may have in addition to those of every cluster."""


@dataclass(frozen=True)
class ProcessRecord:
    """A process that was started; pid and start time together name it, because pids are used again."""

    component: str
    pid: int
    started_ticks: int


@dataclass(frozen=True)
class LoadedImages:
    """Names of images that all nodes have in addition to those of every cluster, and the archive that holds them."""

    archive: str
    images: tuple[str, ...]


@dataclass(frozen=True)
class ClusterState:
    """All that is needed to reach, judge and remove a cluster. Ports are TCP ports on the address next to them.

    `parts`: the parts that it has in addition to those of every cluster, as `up --with` names them. `disks`: the kind
    of its disks. `loaded`: images of parts, and those that were offered to it later.
    """

    name: str
    boot_id: str
    kubernetes_version: str
    image: str
    pause_image: str
    snapshotter: str
    gateway: str
    subnet: str
    node_addresses: tuple[str, ...]
    ports: dict[str, int]
    short_timers: bool = False
    disks: str = "host"
    parts: tuple[str, ...] = ()
    loaded: tuple[LoadedImages, ...] = ()
    processes: tuple[ProcessRecord, ...] = ()
    complete: bool = False

    def with_images(self, new: LoadedImages) -> "ClusterState":
        """Return the state with `new` loaded, in place of others of the same names."""
        other_images = (old for old in self.loaded if not set(old.images) & set(new.images))
        return replace(self, loaded=(*other_images, new))


def boot_id() -> str:
    """Return an id of this boot of the kernel: pids and mounts of another boot mean nothing."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def read_state(layout: Layout) -> ClusterState | None:
    """Return the state of the cluster; None if there is none, if it cannot be read, or if it is of another boot."""
    try:
        raw: dict[str, Any] = json.loads(layout.state_file.read_text())
        raw["processes"] = tuple(ProcessRecord(**process) for process in raw["processes"])
        raw["node_addresses"] = tuple(raw["node_addresses"])
        raw["parts"] = tuple(raw.get("parts", ()))
        loads = [{**record, "images": tuple(record["images"])} for record in raw.get("loaded", ())]
        raw["loaded"] = tuple(LoadedImages(**record) for record in loads)
        state = ClusterState(**raw)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state if state.boot_id == boot_id() else None


def write_state(layout: Layout, state: ClusterState) -> None:
    """Replace the state file; a kill in between leaves the old one."""
    temporary = layout.state_file.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(state), file, indent=1)
    temporary.replace(layout.state_file)
