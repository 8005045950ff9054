"""The state file of a cluster: what was started and where it listens, written whole and renamed."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from embedded_cluster.layout import Layout

CEPH, CSI, LONGHORN = "ceph", "csi", "longhorn"
PARTS = (CEPH, CSI, LONGHORN)
"""what a cluster may have beside what every cluster has"""


@dataclass(frozen=True)
class ProcessRecord:
    """A process that was started; pid and start time together name it, since pids are used again."""

    component: str
    pid: int
    started_ticks: int


@dataclass(frozen=True)
class LoadedImages:
    """Names of images that all nodes were given beside those of every cluster, and the archive that holds them."""

    archive: str
    images: tuple[str, ...]


@dataclass(frozen=True)
class ClusterState:
    """All that is needed to reach, judge and remove a cluster. Ports are TCP ports on the address beside them.

    `parts`: what it has beside what every cluster has, as `up --with` names it. `disks`: the kind of its disks.
    `loaded`: images of parts, and those that were offered to it later.
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

    def with_loaded(self, new: LoadedImages) -> "ClusterState":
        """The state after `new` were loaded, also in the place of others of the same names."""
        others = (old for old in self.loaded if not set(old.images) & set(new.images))
        return replace(self, loaded=(*others, new))


def boot_id() -> str:
    """An id of this boot of the kernel: pids and mounts of another boot mean nothing."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def read_state(layout: Layout) -> ClusterState | None:
    """The state of the cluster; None where there is none, where it cannot be read, or where it is of another boot."""
    try:
        raw: dict[str, Any] = json.loads(layout.state_file.read_text())
        raw["processes"] = tuple(ProcessRecord(**process) for process in raw["processes"])
        raw["node_addresses"] = tuple(raw["node_addresses"])
        raw["parts"] = tuple(raw.get("parts", ()))
        loaded = [{**each, "images": tuple(each["images"])} for each in raw.get("loaded", ())]
        raw["loaded"] = tuple(LoadedImages(**each) for each in loaded)
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
