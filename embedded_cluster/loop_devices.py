"""The loop devices of Longhorn's volumes: let go of when their node has died, and none more on the host than before."""

import contextlib
import fcntl
import json
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.layout import STATE_ROOT, Layout, NodeLayout
from embedded_cluster.locking import host_lock
from embedded_cluster.waiting import NotYet, wait_for

# <linux/loop.h>: requests, and the fields of struct loop_info64 up to the number of the device behind.
_DETACH, _STATUS, _REMOVE = 0x4C01, 0x4C05, 0x4C81
_INFO = struct.Struct("=QQQ208x")
_SYS = Path("/sys/devices/virtual/block")
_RECORD = STATE_ROOT / ".loop-devices.json"
# For the mounts of a node that has died to go, which hold them.
_HELD_S = 30.0


@dataclass(frozen=True)
class LoopDevice:
    """A device as the adaptor noted it: `sequence` is the kernel's number of what is behind it, never given twice."""

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
    """The devices of the nodes' volumes that are still attached, those that are over another one first."""
    own = [device for node in nodes for device in noted(node) if _sequence(device.name) == device.sequence]
    numbers = {_number(device.name) for device in own}
    over = [
        LoopDevice(name=name, sequence=sequence)
        for name in _attached()
        if _behind(name) in numbers and (sequence := _sequence(name)) is not None
    ]
    return [*over, *own]


def detach(nodes: Sequence[NodeLayout]) -> None:
    """Let go of the devices of nodes whose processes have ended: what served them is gone.

    Raises EnvironmentFailure naming those that are still held after half a minute, as by a mount of somebody else's.
    """

    def detached() -> None:
        left = held(nodes)
        for device in left:
            with contextlib.suppress(OSError), _opened(Path("/dev") / device.name) as file:
                if _sequence(device.name) == device.sequence:
                    fcntl.ioctl(file, _DETACH)
        if left:
            raise NotYet(", ".join(device.name for device in left))

    wait_for("the loop devices of volumes to be let go of", detached, timeout=_HELD_S)


def of_cluster(layout: Layout) -> list[LoopDevice]:
    """The devices of a cluster's volumes that are still attached."""
    return held(nodes_of(layout))


def nodes_of(layout: Layout) -> list[NodeLayout]:
    """The nodes whose folders are there; also of a cluster without a state file."""
    folders = (layout.state / "nodes").glob("*")
    return [layout.node(int(folder.name)) for folder in folders if folder.name.isdecimal()]


def remember() -> None:
    """Record which loop devices the host has before its first cluster with Longhorn; a record that is there stays."""
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


def _attached() -> list[str]:
    return [path.parts[-3] for path in _SYS.glob("loop*/loop/backing_file")]


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
    with contextlib.suppress(OSError), _opened(Path("/dev") / name) as file:
        _, _, number = _INFO.unpack(fcntl.ioctl(file, _STATUS, bytes(_INFO.size)))
        return number or None
    return None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
