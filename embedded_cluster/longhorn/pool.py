"""What Longhorn's replicas take of this host's disk: the pool of each of its volumes."""

import os
import sys
from pathlib import Path

from acceptance.text.errors import WrongUsage
from embedded_cluster.layout import Layout
from embedded_cluster.longhorn.part import CLASSES
from embedded_cluster.state import LONGHORN, read_state


def used_by_replicas(name: str) -> int:
    """Bytes of disk that the folders of all nodes of the cluster `name` take. Raises WrongUsage without Longhorn."""
    folders = _replicas(name)
    if not folders:
        raise WrongUsage(f"no embedded cluster {name} with Longhorn runs")
    return sum(map(_taken, folders))


def pool_commands(storage_class: str, *, name: str) -> dict[str, list[str]] | None:
    """The command of a target file that prints how much the class's pool has used; None where that is not known."""
    if storage_class not in CLASSES or not _replicas(name):
        return None
    return {"used": [sys.executable, "-m", "embedded_cluster", "pool-used", "--name", name]}


def _replicas(name: str) -> list[Path]:
    """Where each node of the cluster has its replicas; nothing where it has no Longhorn."""
    layout = Layout(name)
    state = read_state(layout)
    if state is None or LONGHORN not in state.parts:
        return []
    return [layout.node(number).longhorn / "replicas" for number in range(1, len(state.node_addresses) + 1)]


def _taken(folder: Path) -> int:
    """By all files below it, without their holes; one that goes meanwhile takes nothing."""
    taken = 0
    for here, _, files in os.walk(folder):
        for file in files:
            try:
                taken += (Path(here) / file).lstat().st_blocks * 512
            except FileNotFoundError:
                continue
    return taken
