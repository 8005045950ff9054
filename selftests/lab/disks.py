"""File systems for lab classes: in memory, and on block devices that nbdkit makes slow or faulty, or that lie."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import packages
from embedded_cluster.commands import run
from embedded_cluster.waiting import NotYet, wait_for

PYTHON_PLUGIN = {"nbdkit-plugin-python": "/usr/lib/*/nbdkit/plugins/nbdkit-python-plugin.so"}
PROGRAMS = {"nbdkit": "nbdkit", "libnbd-bin": "nbdfuse", "e2fsprogs": "mkfs.ext4", "mount": "losetup"}


@contextmanager
def memory_disk(folder: Path, *, size: str) -> Iterator[Path]:
    """A file system in memory: acknowledges at once and loses all at a power failure."""
    folder.mkdir()
    run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0777", "lab", folder])
    try:
        yield folder
    finally:
        _unmount(folder)


def _unmount(folder: Path) -> None:
    """Unmount once the last user has let go: kubelets unmount a pod's volume some time after the pod is gone."""

    def unmounted() -> None:
        try:
            run(["umount", folder])
        except EnvironmentFailure as error:
            raise NotYet(str(error)) from None

    wait_for(f"{folder} to be unmounted", unmounted, timeout=60, interval=0.5)


@contextmanager
def nbdkit_disk(folder: Path, *, filters: Sequence[str], parameters: Sequence[str], size: str) -> Iterator[Path]:
    """An ext4 file system on memory behind nbdkit's filters (`delay`, `error`, ...), mounted below `folder`."""
    with _nbdkit_disk(folder, filters=filters, parameters=parameters, size=size, direct_io=True) as mounted:
        yield mounted


@contextmanager
def cached_disk(folder: Path, *, read_delay: str, size: str) -> Iterator[Path]:
    """The same on a disk whose every read takes `read_delay`, and is answered from this host's page cache all the same.

    Writes reach the disk when they are flushed, as they should.
    """
    parameters = [f"rdelay={read_delay}"]
    with _nbdkit_disk(folder, filters=["delay"], parameters=parameters, size=size, direct_io=False) as mounted:
        yield mounted


@dataclass(frozen=True, kw_only=True)
class StallingDisk:
    """A file system at `folder` whose disk answers nothing between `stop` and `go_on`."""

    folder: Path
    control: Path

    def stop(self) -> None:
        """Take no request any more, once those under way are done."""
        self._ask(b"p")

    def go_on(self) -> None:
        """Serve what has been waiting."""
        self._ask(b"r")

    def _ask(self, what: bytes) -> None:
        """As nbdkit's filter `pause` wants it: a byte, answered by its capital."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(90)
            connection.connect(str(self.control))
            connection.sendall(what)
            assert connection.recv(1) == what.upper()


@contextmanager
def stalling_disk(folder: Path, *, size: str, write_delay: str = "0") -> Iterator[StallingDisk]:
    """A disk that can be stopped, whose every write takes `write_delay`; at the end it goes on, or it could not be
    unmounted."""
    control = folder / "control"
    parameters = [f"pause-control={control}", f"wdelay={write_delay}"]
    with _nbdkit_disk(folder, filters=["pause", "delay"], parameters=parameters, size=size, direct_io=True) as mounted:
        disk = StallingDisk(folder=mounted, control=control)
        try:
            yield disk
        finally:
            disk.go_on()


@dataclass(frozen=True, kw_only=True)
class LimitedDisk:
    """A file system at `folder` whose disk moves no more than it is told to."""

    folder: Path
    control: Path

    def limit(self, bits_per_s: str) -> None:
        """From now on, as nbdkit's filter `rate` writes it: `8M`."""
        self.control.write_text(f"{bits_per_s}\n", encoding="utf-8")


@contextmanager
def limited_disk(folder: Path, *, size: str, burst_s: float = 2.0, write_delay: str = "0") -> Iterator[LimitedDisk]:
    """A disk like a cloud's with credits: fast at first, and slower from when the test says so.

    After a rest it may do in one go what its limit allows in `burst_s`; each write takes `write_delay`.
    """
    control = folder / "rate"
    parameters = ["rate=400M", f"rate-file={control}", f"burstiness={burst_s}", f"wdelay={write_delay}"]
    with _nbdkit_disk(folder, filters=["rate", "delay"], parameters=parameters, size=size, direct_io=True) as mounted:
        yield LimitedDisk(folder=mounted, control=control)


@contextmanager
def thin_disk(folder: Path, *, promised: str, has: str) -> Iterator[Path]:
    """An ext4 file system that shows `promised` bytes as free and has room for fewer, as pools that are overbooked."""
    with ExitStack() as undo:
        pool = undo.enter_context(memory_disk(folder, size=has))
        file, mounted = pool / "disk", pool / "mounted"
        mounted.mkdir()
        run(["truncate", f"--size={promised}", file])
        loop = run(["losetup", "--find", "--show", file]).strip()
        undo.callback(run, ["losetup", "--detach", loop])
        run(["mkfs.ext4", "-q", "-E", "nodiscard", loop])
        run(["mount", loop, mounted])
        undo.callback(_unmount, mounted)
        mounted.chmod(0o777)
        yield mounted


@contextmanager
def _nbdkit_disk(
    folder: Path,
    *,
    filters: Sequence[str],
    parameters: Sequence[str],
    size: str,
    direct_io: bool,
    plugin: Sequence[str] | None = None,
) -> Iterator[Path]:
    """`plugin`: where the bytes come from, with its parameters; None for memory."""
    packages.ensure(PROGRAMS)
    exported, mounted = folder / "exported", folder / "mounted"
    for each in (folder, exported, mounted):
        each.mkdir()
    device_file = exported / "disk"
    device_file.touch()
    nbdkit = ["nbdkit", "-s", "--exit-with-parent", *(f"--filter={each}" for each in filters)]
    nbdkit += plugin or ["memory", size]
    with ExitStack() as undo:
        server = subprocess.Popen(["nbdfuse", device_file, "--command", *nbdkit, *parameters])
        undo.callback(server.wait, timeout=90)
        undo.callback(_unmount, device_file)

        def served() -> None:
            if device_file.stat().st_size == 0:
                raise NotYet("the device file is empty")

        wait_for("nbdfuse to serve the disk", served, timeout=90)
        through = f"--direct-io={'on' if direct_io else 'off'}"
        loop = run(["losetup", "--find", "--show", through, device_file]).strip()
        undo.callback(run, ["losetup", "--detach", loop])
        # All is written now: what ext4 writes lazily, once it is mounted, would take from what the disk is held to.
        run(["mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", loop])
        run(["mount", loop, mounted])
        undo.callback(_unmount, mounted)
        mounted.chmod(0o777)
        yield mounted


@dataclass(frozen=True, kw_only=True)
class LyingDisk:
    """A file system at `folder`. Once the file `rots` exists, some blocks with data of fio's are read with a byte
    changed; once `loses` exists, writes of some more are acknowledged and never done."""

    folder: Path
    rots: Path
    loses: Path


@contextmanager
def lying_disk(folder: Path, *, size: int) -> Iterator[LyingDisk]:
    """A disk on a file, of which every hundredth block lies if it is data of fio's (`lying_plugin.py`).

    Every tenth is lost: so many that the rest of a file has some, however few a slow machine has still to write.
    `size` in bytes.
    """
    packages.ensure(PYTHON_PLUGIN)
    folder.mkdir()
    file, disk = folder / "bytes", folder / "disk"
    rots, loses = folder / "rots", folder / "loses"
    with file.open("wb") as made:
        made.truncate(size)
    script = Path(__file__).with_name("lying_plugin.py")
    plugin = ["python", str(script), f"file={file}", f"rots={rots}", f"loses={loses}"]
    with _nbdkit_disk(disk, filters=[], parameters=[], size="", direct_io=True, plugin=plugin) as mounted:
        yield LyingDisk(folder=mounted, rots=rots, loses=loses)
