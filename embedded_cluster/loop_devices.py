"""The loop devices of volumes, Longhorn's and the CSI driver's: let go of, and none more on the host than before."""

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
# For the mounts of a node that has died to go, which hold them.
_HELD_S = 30.0


@dataclass(frozen=True)
class LoopDevice:
    """A device with something behind it: `sequence` is the kernel's number of that, never given twice."""

    name: str
    sequence: int


def noted(node: NodeLayout) -> list[LoopDevice]:
    """The devices that the adaptor of a node noted; some may have gone, or be others' now."""
    found = []
    for path in sorted(node.longhorn_devices.glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # it went, or is half written
            note = json.loads(path.read_text())
            found.append(LoopDevice(name=str(note["device"]), sequence=int(note["diskseq"])))
    return found


def held(nodes: Iterable[NodeLayout]) -> list[LoopDevice]:
    """The devices of the nodes' Longhorn volumes that are still attached, those that are over another one first."""
    own = [device for node in nodes for device in noted(node) if _sequence(device.name) == device.sequence]
    return _with_those_over(own)


def of_node(node: NodeLayout) -> list[LoopDevice]:
    """What a node leaves attached when it dies: devices of Longhorn, and raw block volumes that no other node has.

    Of a volume on RBD the device is no node's, but what its kubelet has put over that is.
    """
    staged = node.cluster.csi.staged.glob("*")
    alone = {f"{volume.name}.img" for volume in staged if [path.name for path in volume.iterdir()] == [node.name]}
    on_rbd = pooled(node.cluster, of={name for name in alone if _is_on_rbd(node.cluster.csi.volumes / name)})
    own = _with_those_over(pooled(node.cluster, of=alone))
    return [*held([node]), *(device for device in own if device not in on_rbd)]


def _is_on_rbd(volume: Path) -> bool:
    """By the record that the CSI driver has of it."""
    with contextlib.suppress(OSError, ValueError):
        return bool(json.loads(volume.with_suffix(".json").read_text()).get("rbd"))
    return False


def pooled(layout: Layout, *, of: Collection[str] | None = None) -> list[LoopDevice]:
    """The devices over files of the CSI driver's volumes, also where the file is gone; `of`: of these names alone."""
    volumes = layout.csi.volumes
    return _attached_where(
        lambda name, file: (of is None or file.name in of) and _is_behind(volumes / file.name, name, shown=file)
    )


def _attached_where(fits: Callable[[str, Path], bool]) -> list[LoopDevice]:
    """The devices with something behind them whose name and path fit."""
    return [
        LoopDevice(name=name, sequence=sequence)
        for name, file in _attached().items()
        if fits(name, file) and (sequence := _sequence(name)) is not None
    ]


def _is_behind(volume: Path, name: str, *, shown: Path) -> bool:
    """Whether the device is over that file, which the kernel shows as `shown`.

    Of a node whose mount namespace is gone it shows paths from where they were mounted: the end of the whole. Other
    clusters have volumes that end so, too, and then the file itself tells.
    """
    if shown == volume:
        return True
    with contextlib.suppress(OSError):
        if str(volume).endswith(str(shown)) and (status := _status(name)):
            found = volume.stat()
            return status[:2] == (found.st_dev, found.st_ino)
    return False


def is_attached(device: LoopDevice) -> bool:
    """Whether the same is behind the device still."""
    return _sequence(device.name) == device.sequence


def _with_those_over(own: Sequence[LoopDevice]) -> list[LoopDevice]:
    """With those that kubelets have put over one, for raw block volumes; these come first."""
    # Without those that have gone: of a device over a file there is no number behind it either, whoever's it is.
    numbers = {_number(device.name) for device in own} - {None}
    return [*_attached_where(lambda name, _: _behind(name) in numbers), *own]


def detach(look: Callable[[], Sequence[LoopDevice]]) -> None:
    """Let go of the devices that `look` finds, whose users have ended.

    Raises EnvironmentFailure naming those that are still held after half a minute, as by a mount of somebody else's.
    """

    def detached() -> None:
        left = look()
        for device in left:
            with contextlib.suppress(OSError), _opened(Path("/dev") / device.name) as file:
                if _sequence(device.name) == device.sequence:
                    fcntl.ioctl(file, _DETACH)
        if left:
            raise NotYet(", ".join(device.name for device in left))

    wait_for("the loop devices of volumes to be released", detached, timeout=_HELD_S)


def of_cluster(layout: Layout) -> list[LoopDevice]:
    """The devices of a cluster's volumes that are still attached, and of its disk in memory."""
    return [*held(nodes_of(layout)), *_with_those_over(pooled(layout)), *_over(layout.local_image)]


def _over(image: Path) -> list[LoopDevice]:
    """The devices over one file."""
    return _attached_where(lambda name, file: file.name == image.name and _is_behind(image, name, shown=file))


def nodes_of(layout: Layout) -> list[NodeLayout]:
    """The nodes whose folders are there; also of a cluster without a state file."""
    folders = (layout.state / "nodes").glob("*")
    return [layout.node(int(folder.name)) for folder in folders if folder.name.isdecimal()]


def remember() -> None:
    """Record which loop devices the host has before its first cluster that makes some; a record that is there stays."""
    with host_lock("loop-devices"):
        if not _RECORD.exists():
            _RECORD.write_text(json.dumps(sorted(_all())))


def remove_added() -> None:
    """Remove the loop devices that came since `remember` and are free, if no cluster is left on this host."""
    with host_lock("loop-devices"):
        if not _RECORD.exists() or any(path.is_dir() for path in STATE_ROOT.iterdir()):
            return
        before = set(json.loads(_RECORD.read_text()))
        with contextlib.suppress(OSError), _opened(Path("/dev/loop-control")) as control:
            for name in _all() - before:
                with contextlib.suppress(OSError):  # somebody uses it
                    fcntl.ioctl(control, _REMOVE, int(name.removeprefix("loop")))
        _RECORD.unlink()


def _all() -> set[str]:
    return {path.name for path in _SYS.glob("loop*")}


def _attached() -> dict[str, Path]:
    """The devices with something behind them, each with its path, which the kernel marks where it is gone."""
    found = {}
    for path in _SYS.glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):  # it was let go of meanwhile
            found[path.parts[-3]] = Path(path.read_text().strip().removesuffix(" (deleted)"))
    return found


def _sequence(name: str) -> int | None:
    """The number of what is behind the device now; None where nothing is."""
    try:
        (_SYS / name / "loop" / "backing_file").read_text()
        return int((_SYS / name / "diskseq").read_text())
    except (OSError, ValueError):
        return None


def _number(name: str) -> int | None:
    """The device's own number, as the kernel writes it for what is over it."""
    with contextlib.suppress(OSError):
        return os.stat(Path("/dev") / name).st_rdev
    return None


def _behind(name: str) -> int | None:
    """The number of the device that is behind a loop device; None where a file is."""
    status = _status(name)
    return status[2] or None if status else None


def _status(name: str) -> tuple[int, int, int] | None:
    """Of what is behind a loop device: its file system, its inode, and its number where it is a device itself."""
    with contextlib.suppress(OSError), _opened(Path("/dev") / name) as file:
        system, inode, number = _INFO.unpack(fcntl.ioctl(file, _GET_STATUS, bytes(_INFO.size)))
        return system, inode, number
    return None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
