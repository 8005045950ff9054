"""Where the lab's volumes lie."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from embedded_cluster import mounts
from embedded_cluster.layout import Layout


@contextmanager
def lab_folder_of(cluster: str) -> Iterator[Path]:
    """A folder for as long as the block, below that of the cluster: its nodes see what the host mounts there."""
    with TemporaryDirectory(prefix="lab-", dir=Layout(cluster).state) as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            yield folder
        finally:
            # Before it is removed, with all that is below.
            assert not (left := mounts.below(folder)), left
