"""A node's own mounts for Longhorn, in its mount namespace: three Longhorn nodes live on one host.

Longhorn treats the mount namespace of its containers' shim as that of the host, and has fixed places there.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from embedded_cluster.commands import run
from embedded_cluster.layout import NodeLayout
from embedded_cluster.mount_namespaces import MountNamespace

STATE = Path("/var/lib/longhorn")
DEVICES = Path("/dev/longhorn")
"""Created on the host if it is missing; the devices of a node's volumes are in a file system of the node's own."""

PLACES = (STATE, DEVICES, Path("/usr/local/sbin"))
"""The folders of the host that must exist."""
_BLOCK_DEVICES = Path("/sys/block")
# The folder in which Longhorn finds iscsiadm before any of the host's own.
_PROGRAMS = PLACES[-1]
# The most loop devices that may exist later: the kubelet looks for those of raw block volumes in _BLOCK_DEVICES.
_LOOP_DEVICES = 256


def own_folders(node: NodeLayout) -> dict[Path, Path]:
    """Return the folders that the node has in place of the host's."""
    return {STATE: node.longhorn, _PROGRAMS: node.state / "sbin"}


def prepare(node: NodeLayout, *, iscsiadm: Path) -> None:
    """Create the node's folders; `iscsiadm` is the program that Longhorn is to find under this name."""
    node.longhorn.mkdir(parents=True)
    programs = node.state / "sbin"
    if _PROGRAMS.is_dir():
        shutil.copytree(_PROGRAMS, programs, symlinks=True)
    programs.mkdir(exist_ok=True)
    (programs / "iscsiadm").unlink(missing_ok=True)
    shutil.copy(iscsiadm, programs / "iscsiadm")


def arrange(namespace: MountNamespace) -> None:
    """Mount the rest in a new namespace of a node: devices, and a place for what only SCSI devices have.

    Raises EnvironmentFailure if a mount is refused.
    """
    # Longhorn's containers then see later mounts, also below those that the host does not share.
    run(namespace.inside(["mount", "--make-rshared", "/"]))
    for place in (DEVICES, _BLOCK_DEVICES):
        run(namespace.inside(["mount", "-t", "tmpfs", "-o", "mode=0755", "longhorn", place]))
    there = [os.readlink(link) for link in _BLOCK_DEVICES.iterdir()]
    run(namespace.inside(["ln", "-s", "-t", _BLOCK_DEVICES, *block_devices(there)]))


def block_devices(there: Collection[str]) -> list[str]:
    """Return the targets of /sys/block's links on a node: those that are `there`, and loop devices to come.

    The name of such a link is the last part of its target.
    """
    loops = (f"../devices/virtual/block/loop{number}" for number in range(_LOOP_DEVICES))
    return sorted({*there, *loops})
