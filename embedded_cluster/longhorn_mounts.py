"""What a node has of its own for Longhorn, in its mount namespace: three Longhorn nodes live on one host.

Longhorn takes the mount namespace of its containers' shim for that of the host, and has fixed places there.
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
"""made on the host where it is missing; the devices of a node's volumes are in a file system of the node's own"""

PLACES = (STATE, DEVICES, Path("/usr/local/sbin"))
"""of the host's, which are to be there"""
_BLOCK_DEVICES = Path("/sys/block")
# Where Longhorn finds iscsiadm before any of the host's own.
_PROGRAMS = PLACES[-1]
# There may be as many loop devices later: the kubelet looks for those of raw block volumes in _BLOCK_DEVICES.
_LOOP_DEVICES = 256


def own_folders(node: NodeLayout) -> dict[Path, Path]:
    """What the node has in place of the host's folders."""
    return {STATE: node.longhorn, _PROGRAMS: node.state / "sbin"}


def prepare(node: NodeLayout, *, iscsiadm: Path) -> None:
    """Make the node's folders; `iscsiadm` is the program that Longhorn is to find under this name."""
    node.longhorn.mkdir(parents=True)
    programs = node.state / "sbin"
    if _PROGRAMS.is_dir():
        shutil.copytree(_PROGRAMS, programs, symlinks=True)
    programs.mkdir(exist_ok=True)
    (programs / "iscsiadm").unlink(missing_ok=True)
    shutil.copy(iscsiadm, programs / "iscsiadm")


def arrange(namespace: MountNamespace) -> None:
    """Mount the rest in a new namespace of a node: devices, and a place for what only SCSI devices have.

    Raises EnvironmentFailure where a mount is refused.
    """
    # Containers of Longhorn's see mounts that come later; of what the host does not share they otherwise could not.
    run(namespace.inside(["mount", "--make-rshared", "/"]))
    for place in (DEVICES, _BLOCK_DEVICES):
        run(namespace.inside(["mount", "-t", "tmpfs", "-o", "mode=0755", "longhorn", place]))
    there = [os.readlink(link) for link in _BLOCK_DEVICES.iterdir()]
    run(namespace.inside(["ln", "-s", "-t", _BLOCK_DEVICES, *block_devices(there)]))


def block_devices(there: Collection[str]) -> list[str]:
    """Where the links of /sys/block lead to on a node: to what is `there`, and to loop devices that may come.

    The name of such a link is the last part of what it leads to.
    """
    loops = (f"../devices/virtual/block/loop{number}" for number in range(_LOOP_DEVICES))
    return sorted({*there, *loops})
