"""Volumes that are file systems in files of this host: mounted from loop devices, grown, copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded_cluster import mounts, packages
from embedded_cluster.commands import run

PROGRAMS = {"xfsprogs": "mkfs.xfs", "mount": "losetup", "util-linux": "fsfreeze"}


class ImageVolume:
    """An XFS file system in `folder`/NAME.img, mounted at `folder`/NAME.

    XFS, because ext4 grows for root with CAP_SYS_RESOURCE only, which containers often lack.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.file = folder / f"{name}.img"
        self.mounted = folder / name

    def make(self, size: int, *, source: Path | None = None) -> None:
        """Make and mount it, of `size` bytes; `source`: the file that it begins as a copy of."""
        if source is not None:
            run(["cp", "--sparse=always", source, self.file])
        with self.file.open("ab") as file:
            file.truncate(max(size, self.file.stat().st_size))
        if source is None:
            packages.ensure(PROGRAMS)
            run(["mkfs.xfs", "-q", "-K", self.file])
        self.mounted.mkdir(exist_ok=True)
        # nouuid: a copy has the same one as its source.
        run(["mount", "-o", "loop,nouuid", self.file, self.mounted])
        if source is None:
            self.mounted.chmod(0o777)

    def grow(self, size: int) -> None:
        """Make it larger while it is in use."""
        with self.file.open("ab") as file:
            file.truncate(size)
        device = run(["findmnt", "--noheadings", "--output", "SOURCE", self.mounted]).split()[0]
        run(["losetup", "--set-capacity", device])
        run(["xfs_growfs", "-d", self.mounted])

    def copy_to(self, file: Path) -> None:
        """Copy it as it is at one moment, all that was written until then included."""
        with self._frozen():
            run(["cp", "--sparse=always", self.file, file])

    def remove(self) -> None:
        """Unmount and delete it. Raises EnvironmentFailure while it is in use."""
        if self.mounted.is_mount():
            run(["umount", "--recursive", self.mounted])
        shutil.rmtree(self.mounted, ignore_errors=True)
        self.file.unlink(missing_ok=True)

    @contextmanager
    def _frozen(self) -> Iterator[None]:
        run(["fsfreeze", "--freeze", self.mounted])
        try:
            yield
        finally:
            run(["fsfreeze", "--unfreeze", self.mounted])


def nest(folder: Path) -> None:
    """Make a folder a mount of its own, within the mount that it is part of; once, however often it is asked for.

    Looked up in the kernel's list: `Path.is_mount` knows a mount by its file system, and this one has its parent's.
    """
    if folder not in mounts.below(folder):
        run(["mount", "--bind", folder, folder])
