"""Locks between several `up` and `down` on one host."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from embedded_cluster.layout import RUN_ROOT, Layout
from embedded_cluster.progress import say


@contextlib.contextmanager
def cluster_lock(layout: Layout) -> Iterator[None]:
    """Hold the lock of the cluster `layout.name`; print a line and wait if another command holds it."""
    with _hold(RUN_ROOT / f".{layout.name}.lock", waiting=f"another command works on cluster {layout.name}; waiting"):
        yield


@contextlib.contextmanager
def host_lock(subject: str) -> Iterator[None]:
    """Hold the lock of a resource that all clusters of the host share, for moments only."""
    with _hold(RUN_ROOT / f"..{subject}.lock", waiting=None):
        yield


@contextlib.contextmanager
def preparation_lock() -> Iterator[None]:
    """Hold the lock for installing and building; the next one finds it done. Print a line and wait if it is held."""
    with _hold(RUN_ROOT / "..preparation.lock", waiting="another command installs and builds; waiting"):
        yield


@contextlib.contextmanager
def _hold(path: Path, *, waiting: str | None) -> Iterator[None]:
    """Lock the file `path`, which exists only while a process holds it or waits for it."""
    while True:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting:
                say(waiting)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # The previous holder may have removed the file: then this lock excludes no other process.
        if path.exists() and path.stat().st_ino == os.fstat(descriptor).st_ino:
            break
        os.close(descriptor)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)
        with contextlib.suppress(OSError):  # Not empty: a cluster runs or another command waits.
            path.parent.rmdir()
