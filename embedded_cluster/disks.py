"""The disks of the nodes: in memory if enough of it is free, otherwise the host's.

A host's disk may be slow, or shared with other virtual machines, and then every test on the cluster measures that. In
memory, replicas are on a tmpfs. The class `local-path` is on ext4 on a loop device over another tmpfs: it has a journal
and a device to flush, as a disk has, so that a comparison of a class with it is meaningful.
"""

from dataclasses import dataclass
from pathlib import Path

import psutil

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import loop_devices
from embedded_cluster.commands import run
from embedded_cluster.layout import Layout
from embedded_cluster.preconditions import Needs, loop_device_problem
from embedded_cluster.progress import say

MEMORY, HOST = "memory", "host"
KINDS = (MEMORY, HOST)

_GIB = 1024**3
_LEAST_FREE_GIB = 10.0
"""Free memory, beyond the needs of the cluster's programs, from which on disks are in memory."""
# Shares of the free memory. The rest stays free for the loads, and for a second cluster beside this one.
_SHARE_OF_REPLICAS, _SHARE_OF_LOCAL = 0.45, 0.2

DESCRIPTIONS = {
    MEMORY: {"replicated": "tmpfs", "local": "ext4 on a loop device over tmpfs"},
    HOST: {"replicated": "the host's disk", "local": "the host's disk"},
}
"""The medium of the volumes of each class, by kind of disk: for the parameters of the StorageClasses."""


@dataclass(frozen=True)
class Disks:
    """The disks of one cluster. Sizes in bytes; 0 on the host's disk, which has its own limit."""

    kind: str
    replicas_bytes: int = 0
    local_bytes: int = 0


def choose(kind: str | None, *, needs: Needs) -> Disks:
    """Return the disks that a new cluster gets. `kind`: one of KINDS, or None for memory if it is free.

    Raises EnvironmentFailure if memory was requested and is not available.
    """
    if kind == HOST:
        return Disks(HOST)
    spare = psutil.virtual_memory().available - needs.free_memory * _GIB
    if problem := _problem(spare):
        if kind == MEMORY:
            raise EnvironmentFailure(f"disks in memory are not possible: {problem}; use --disks {HOST}")
        say(f"disks are on the host's disk: {problem}")
        return Disks(HOST)
    return Disks(MEMORY, int(spare * _SHARE_OF_REPLICAS), int(spare * _SHARE_OF_LOCAL))


def _problem(spare: float) -> str | None:
    if spare < _LEAST_FREE_GIB * _GIB:
        return f"{max(0.0, spare) / _GIB:.1f} GiB of memory are free for disks, {_LEAST_FREE_GIB:.0f} GiB are needed"
    return loop_device_problem()


def prepare(layout: Layout, disks: Disks) -> None:
    """Create the folders of replicas and local volumes, and mount them if they are in memory.

    Raises EnvironmentFailure with the output of `mount` or `mkfs`.
    """
    for folder in (layout.disks, layout.local):
        folder.mkdir()
    if disks.kind == MEMORY:
        _mount_memory(layout.disks, disks.replicas_bytes)
        _mount_local(layout, disks.local_bytes)


def _mount_memory(place: Path, size: int) -> None:
    run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", "storage-acceptance", place])


def _mount_local(layout: Layout, size: int) -> None:
    layout.local_image.parent.mkdir()
    _mount_memory(layout.local_image.parent, size)
    with layout.local_image.open("wb") as image:
        image.truncate(size - size // 50)
    # Write all tables now, not by a thread of the kernel while volumes are measured.
    tables = "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    run(["mkfs.ext4", "-q", "-F", "-m", "0", "-E", tables, layout.local_image])
    loop_devices.remember()
    # `discard` frees the memory of deleted volumes. The unmount releases the loop device.
    run(["mount", "-o", "loop,discard,noatime", layout.local_image, layout.local])
