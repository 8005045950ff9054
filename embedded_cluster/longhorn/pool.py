"""The disk space of this host that Longhorn's replicas take: the pool of each of its volumes."""

import os
import sys
from pathlib import Path

from acceptance.text.errors import WrongUsage
from embedded_cluster.layout import Layout
from embedded_cluster.longhorn.part import CLASSES
from embedded_cluster.state import LONGHORN, read_state


def used_by_replicas(name: str) -> int:
    """Return the bytes of disk that the replicas of the cluster `name` take. Raise WrongUsage without Longhorn."""
    folders = _replicas(name)
    if not folders:
        raise WrongUsage(f"no embedded cluster {name} with Longhorn runs")
    return sum(map(_allocated_bytes, folders))


def pool_commands(storage_class: str, *, name: str) -> dict[str, list[str]] | None:
    """Return the command of a target file that prints how much the class's pool has used; None if that is unknown."""
    if storage_class not in CLASSES or not _replicas(name):
        return None
    return {"used": [sys.executable, "-m", "embedded_cluster", "pool-used", "--name", name]}


def _replicas(name: str) -> list[Path]:
    """Return the folders of each node's replicas; none if the cluster has no Longhorn."""
    layout = Layout(name)
    state = read_state(layout)
    if state is None or LONGHORN not in state.parts:
        return []
    return [layout.node(number).longhorn / "replicas" for number in range(1, len(state.node_addresses) + 1)]


def _allocated_bytes(folder: Path) -> int:
    """Return the bytes of all files below the folder, without their holes; a file that vanishes counts 0."""
    size = 0
    for here, _, files in os.walk(folder):
        for file in files:
            try:
                size += (Path(here) / file).lstat().st_blocks * 512
            except FileNotFoundError:
                continue
    return size
