"""A folder that only its owner may read, removed at the end; the next one removes those of killed processes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "storage-acceptance-private-"
# Locked as long as the process lives: the kernel releases the lock when the process ends in any way.
_LOCK = "in-use"


@contextmanager
def private_folder(*, within: Path | None = None, prefix: str = PREFIX) -> Iterator[Path]:
    """Yield a new folder that only its owner may read. Remove folders that this user's killed processes left.

    `within`: the parent folder; None for that of temporary files. `prefix`: the beginning of its name, used by no other
    files.
    """
    remove_abandoned(within=within, prefix=prefix)
    with (
        tempfile.TemporaryDirectory(dir=within, prefix=prefix) as name,
        open(Path(name, "new"), "w") as lock,
    ):
        folder = Path(name)
        fcntl.flock(lock, fcntl.LOCK_EX)
        (folder / "new").rename(folder / _LOCK)  # so that it never appears unlocked while it is in use
        yield folder


def remove_abandoned(*, within: Path | None = None, prefix: str = PREFIX) -> None:
    """Remove the folders that no process uses any more, except those of other users and doubtful ones."""
    for folder in (within or Path(tempfile.gettempdir())).glob(f"{prefix}*"):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return False
        with open(folder / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # in use, or just being created or removed
        return False
    return True
