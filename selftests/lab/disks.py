"""File systems for lab classes: in memory, and on a block device that nbdkit makes slow or faulty."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from acceptance.embedded import packages
from acceptance.embedded.commands import run
from acceptance.embedded.waiting import NotYet, wait_for
from acceptance.errors import EnvironmentFailure

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
    packages.ensure(PROGRAMS)
    exported, mounted = folder / "exported", folder / "mounted"
    for each in (folder, exported, mounted):
        each.mkdir()
    device_file = exported / "disk"
    device_file.touch()
    nbdkit = ["nbdkit", "-s", "--exit-with-parent", *(f"--filter={each}" for each in filters), "memory", size]
    with ExitStack() as undo:
        server = subprocess.Popen(["nbdfuse", device_file, "--command", *nbdkit, *parameters])
        undo.callback(server.wait, timeout=30)
        undo.callback(_unmount, device_file)

        def served() -> None:
            if device_file.stat().st_size == 0:
                raise NotYet("the device file is empty")

        wait_for("nbdfuse to serve the disk", served, timeout=30)
        loop = run(["losetup", "--find", "--show", "--direct-io=on", device_file]).strip()
        undo.callback(run, ["losetup", "--detach", loop])
        run(["mkfs.ext4", "-q", "-E", "nodiscard", loop])
        run(["mount", loop, mounted])
        undo.callback(_unmount, mounted)
        mounted.chmod(0o777)
        yield mounted
