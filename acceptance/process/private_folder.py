"""A folder for what no one else may read, gone at the end; what processes that were killed left goes with the next."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "storage-acceptance-private-"
# Held locked for as long as the process lives: the kernel lets go of it whatever ends the process.
_LOCK = "in-use"


@contextmanager
def private_folder(*, within: Path | None = None, prefix: str = PREFIX) -> Iterator[Path]:
    """A new folder, readable to its owner alone. Folders that this user's killed processes left are removed.

    `within`: where it is made; None: where temporary files are. `prefix`: how its name begins, and that of no others.
    """
    remove_abandoned(within=within, prefix=prefix)
    with (
        tempfile.TemporaryDirectory(dir=within, prefix=prefix) as name,
        open(Path(name, "new"), "w") as lock,
    ):
        folder = Path(name)
        fcntl.flock(lock, fcntl.LOCK_EX)
        (folder / "new").rename(folder / _LOCK)  # so that it is never seen unlocked while it is in use
        yield folder


def remove_abandoned(*, within: Path | None = None, prefix: str = PREFIX) -> None:
    """Remove the folders that no process uses any more; those of other users, and any doubtful one, are left alone."""
    for folder in (within or Path(tempfile.gettempdir())).glob(f"{prefix}*"):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return False
        with open(folder / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # in use, or just being made or removed
        return False
    return True
