"""The loop devices of volumes, Longhorn's and the CSI driver's: releases them, and leaves no more than before."""

import contextlib
import fcntl
import json
import os
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.layout import STATE_ROOT, Layout, NodeLayout
from embedded_cluster.locking import host_lock
from embedded_cluster.waiting import NotYet, wait_for

# <linux/loop.h>: requests, and the fields of struct loop_info64 up to the number of the device behind.
_DETACH, _GET_STATUS, _REMOVE = 0x4C01, 0x4C05, 0x4C81
_INFO = struct.Struct("=QQQ208x")
_SYS = Path("/sys/devices/virtual/block")
_RECORD = STATE_ROOT / ".loop-devices.json"
# Time for the mounts of a dead node, which hold them, to vanish.
_HELD_S = 30.0


@dataclass(frozen=True)
class LoopDevice:
    """A device with something behind it: `sequence` is the kernel's number of that, never given twice."""

    name: str
    sequence: int


def read_notes(node: NodeLayout) -> list[LoopDevice]:
    """Return the devices that the adaptor of a node recorded; some may no longer exist, or be in other use now."""
    devices = []
    for path in sorted(node.longhorn_devices.glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # it was deleted, or is half written
            note = json.loads(path.read_text())
            devices.append(LoopDevice(name=str(note["device"]), sequence=int(note["diskseq"])))
    return devices


def longhorn_devices(nodes: Iterable[NodeLayout]) -> list[LoopDevice]:
    """Return the devices of the nodes' Longhorn volumes that are still attached; those over another one come first."""
    own = [device for node in nodes for device in read_notes(node) if _sequence(device.name) == device.sequence]
    return _with_those_over(own)


def of_node(node: NodeLayout) -> list[LoopDevice]:
    """Return the devices that a dying node leaves attached: Longhorn's, and raw block volumes of that node alone.

    The device of a volume on RBD belongs to no node, but the one that a node's kubelet has put over it does.
    """
    folders = node.cluster.csi.staging.glob("*")
    alone = {f"{volume.name}.img" for volume in folders if [path.name for path in volume.iterdir()] == [node.name]}
    on_rbd = pool_devices(node.cluster, of={name for name in alone if _is_on_rbd(node.cluster.csi.volumes / name)})
    own = _with_those_over(pool_devices(node.cluster, of=alone))
    return [*longhorn_devices([node]), *(device for device in own if device not in on_rbd)]


def _is_on_rbd(volume: Path) -> bool:
    """Return whether the volume is on RBD, by the CSI driver's record of it."""
    with contextlib.suppress(OSError, ValueError):
        return bool(json.loads(volume.with_suffix(".json").read_text()).get("rbd"))
    return False


def pool_devices(layout: Layout, *, of: Collection[str] | None = None) -> list[LoopDevice]:
    """Return the devices over files of the CSI driver's volumes, also of deleted files; `of`: of these names alone."""
    volumes = layout.csi.volumes
    return _attached_where(
        lambda name, file: (of is None or file.name in of) and _is_behind(volumes / file.name, name, kernel_path=file)
    )


def _attached_where(fits: Callable[[str, Path], bool]) -> list[LoopDevice]:
    """Return the devices with something behind them whose name and path fit."""
    return [
        LoopDevice(name=name, sequence=sequence)
        for name, file in _backing_files().items()
        if fits(name, file) and (sequence := _sequence(name)) is not None
    ]


def _is_behind(volume: Path, name: str, *, kernel_path: Path) -> bool:
    """Return whether the device is over that file, which the kernel shows as `kernel_path`.

    For a node without its mount namespace the kernel shows paths relative to their mount point: the end of the path.
    Other clusters have volumes that end so, too, and then the file itself decides.
    """
    if kernel_path == volume:
        return True
    with contextlib.suppress(OSError):
        if str(volume).endswith(str(kernel_path)) and (status := _status(name)):
            stat = volume.stat()
            return status[:2] == (stat.st_dev, stat.st_ino)
    return False


def is_attached(device: LoopDevice) -> bool:
    """Return whether the same is still behind the device."""
    return _sequence(device.name) == device.sequence


def _with_those_over(own: Sequence[LoopDevice]) -> list[LoopDevice]:
    """Return them and the devices that kubelets have put over one, for raw block volumes; these come first."""
    # Without None, which stands for vanished devices: any device over a file has no number behind it either.
    numbers = {_number(device.name) for device in own} - {None}
    return [*_attached_where(lambda name, _: _behind(name) in numbers), *own]


def detach(look: Callable[[], Sequence[LoopDevice]]) -> None:
    """Release the devices that `look` finds, whose users have ended.

    Raises EnvironmentFailure naming those that are still in use after half a minute, for example by another's mount.
    """

    def detach_all() -> None:
        devices = look()
        for device in devices:
            with contextlib.suppress(OSError), _open(Path("/dev") / device.name) as file:
                if _sequence(device.name) == device.sequence:
                    fcntl.ioctl(file, _DETACH)
        if devices:
            raise NotYet(", ".join(device.name for device in devices))

    wait_for("the loop devices of volumes to be released", detach_all, timeout=_HELD_S)


def of_cluster(layout: Layout) -> list[LoopDevice]:
    """Return the devices of a cluster's volumes that are still attached, and of its disk in memory."""
    return [*longhorn_devices(nodes_of(layout)), *_with_those_over(pool_devices(layout)), *_over(layout.local_image)]


def _over(image: Path) -> list[LoopDevice]:
    """Return the devices over one file."""
    return _attached_where(lambda name, file: file.name == image.name and _is_behind(image, name, kernel_path=file))


def nodes_of(layout: Layout) -> list[NodeLayout]:
    """Return the nodes whose folders exist; also of a cluster without a state file."""
    folders = (layout.state / "nodes").glob("*")
    return [layout.node(int(folder.name)) for folder in folders if folder.name.isdecimal()]


def remember() -> None:
    """Record the loop devices of the host before its first cluster that creates some; keep an existing record."""
    with host_lock("loop-devices"):
        if not _RECORD.exists():
            _RECORD.write_text(json.dumps(sorted(_all())))


def remove_new() -> None:
    """Remove the loop devices that appeared since `remember` and are free, if no cluster is left on this host."""
    with host_lock("loop-devices"):
        if not _RECORD.exists() or any(path.is_dir() for path in STATE_ROOT.iterdir()):
            return
        before = set(json.loads(_RECORD.read_text()))
        with contextlib.suppress(OSError), _open(Path("/dev/loop-control")) as control:
            for name in _all() - before:
                with contextlib.suppress(OSError):  # it is in use
                    fcntl.ioctl(control, _REMOVE, int(name.removeprefix("loop")))
        _RECORD.unlink()


def _all() -> set[str]:
    return {path.name for path in _SYS.glob("loop*")}


def _backing_files() -> dict[str, Path]:
    """Return the devices with something behind them, each with its path, which the kernel marks if it is deleted."""
    files = {}
    for path in _SYS.glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):  # it was released meanwhile
            files[path.parts[-3]] = Path(path.read_text().strip().removesuffix(" (deleted)"))
    return files


def _sequence(name: str) -> int | None:
    """Return the number of what is behind the device now; None if nothing is."""
    try:
        (_SYS / name / "loop" / "backing_file").read_text()
        return int((_SYS / name / "diskseq").read_text())
    except (OSError, ValueError):
        return None


def _number(name: str) -> int | None:
    """Return the device's own number, as the kernel writes it for a device over it."""
    with contextlib.suppress(OSError):
        return os.stat(Path("/dev") / name).st_rdev
    return None


def _behind(name: str) -> int | None:
    """Return the number of the device behind a loop device; None if a file is behind it."""
    status = _status(name)
    return status[2] or None if status else None


def _status(name: str) -> tuple[int, int, int] | None:
    """Return the file system, the inode, and, if it is a device itself, the number of what is behind a loop device."""
    with contextlib.suppress(OSError), _open(Path("/dev") / name) as file:
        system, inode, number = _INFO.unpack(fcntl.ioctl(file, _GET_STATUS, bytes(_INFO.size)))
        return system, inode, number
    return None


@contextlib.contextmanager
def _open(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
