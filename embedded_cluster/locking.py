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
    """Hold the cluster `layout.name` alone; says so and waits where another command holds it."""
    with _held(RUN_ROOT / f".{layout.name}.lock", waiting=f"another command works on cluster {layout.name}; waiting"):
        yield


@contextlib.contextmanager
def host_lock(subject: str) -> Iterator[None]:
    """Hold something that all clusters of the host share, for moments only."""
    with _held(RUN_ROOT / f"..{subject}.lock", waiting=None):
        yield


@contextlib.contextmanager
def preparation_lock() -> Iterator[None]:
    """Install and build alone; the next one finds it done. Says so and waits where another command does."""
    with _held(RUN_ROOT / "..preparation.lock", waiting="another command installs and builds; waiting"):
        yield


@contextlib.contextmanager
def _held(path: Path, *, waiting: str | None) -> Iterator[None]:
    """Lock the file `path`, which exists only while it is held or waited for."""
    while True:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting:
                say(waiting)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # The holder before may have removed the file: then this lock keeps nobody out.
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
