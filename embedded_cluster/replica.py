"""Loses one volume's replica of the replicated class, and watches GlusterFS heal it.

A brick is killed and emptied of that volume's folder, and started again. Other volumes on it stay.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure, WrongUsage
from embedded_cluster import processes
from embedded_cluster.glusterfs import REPLICAS, VOLUME, GlusterFS
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.state import read_state
from embedded_cluster.waiting import NotYet, wait_for

LOST_NODE = 2
"""The node whose brick loses the volume."""
CLASS = "replicated"

# Volume, namespace, claim.
_FOLDER = re.compile(r"pvc-[a-z0-9-]+_[a-z0-9-]+_[a-z0-9-]+")
_CLIENTS = re.compile(r"^Brick : [^:]+:(\S+)\nClients connected : (\d+)$", re.MULTILINE)
_HEALED_AT_ONCE = 128 * 1024
# GlusterFS's attributes of a file: its id, and on a good replica what another one lacks of it.
_GFID = "trusted.gfid"
_PENDING = f"trusted.afr.{VOLUME}-client-{LOST_NODE - 1}"


class Replica:
    """The replica of a volume on the brick of node LOST_NODE. `folder`: the volume's, below the file system's root."""

    def __init__(self, layout: Layout, folder: str) -> None:
        state = read_state(layout)
        if state is None:
            raise WrongUsage(f"no embedded cluster {layout.name} runs")
        if not _FOLDER.fullmatch(folder):
            raise WrongUsage(f"expected the folder of a volume as the provisioner names it, found {folder!r}")
        daemons = Daemons(layout=layout, state=state)
        self._files = GlusterFS(layout=layout, daemons=daemons, address=state.gateway)
        self._brick = layout.node(LOST_NODE).brick / "data"
        self._good = [layout.node(number).brick / "data" for number in range(1, REPLICAS + 1) if number != LOST_NODE]
        self._folder = folder
        if not (self._good[0] / folder).is_dir():
            raise WrongUsage(f"the replicated class of cluster {layout.name} has no volume folder {folder}")

    def lose(self) -> str:
        """Kill the brick, empty it of the volume, start it again; return what was done, in words.

        It is healed slowly until a poll has seen that it is being healed (`let_heal`).
        """
        self._files.hold_healing()
        self._kill()
        try:
            size = self._remove()
        finally:
            self.restore()
        return f"brick of node {LOST_NODE} killed and emptied of {size // 1024**2} MiB of the volume"

    def restore(self) -> None:
        """Have the brick run, and GlusterFS heal what it lacks."""
        wait_for("the brick to serve its clients", self._serve, timeout=60, interval=0.3)
        self._files.go_first()
        if self.lacks():
            # `full`: heal all missing files, because GlusterFS has no record of these: it did not see their deletion.
            self._files.command("volume", "heal", VOLUME, "full")

    def let_heal(self) -> None:
        """Have GlusterFS heal what it lacks as fast as the machine can."""
        self._files.release_healing()

    def lacks(self) -> list[str]:
        """Return what the replica lacks of the volume, in words; nothing if it is complete."""
        if not self._runs():
            return [f"the brick of node {LOST_NODE} does not run"]
        problems = []
        for good in self._good:
            for path in [good, *_tree(good / self._folder)]:
                name = path.relative_to(good)
                if not (self._brick / name).exists():
                    problems.append(f"{name} is missing")
                elif any(_attribute(path, _PENDING)):
                    problems.append(f"{name} is not up to date")
        return problems

    def progress(self) -> float:
        """Return the share of the volume's files that is healed, in percent."""
        there, total = 0, 0
        for path in _tree(self._good[0] / self._folder):
            if not path.is_file():
                continue
            copy = self._brick / path.relative_to(self._good[0])
            total += path.stat().st_size
            there += _healed_to(copy) if copy.exists() else 0
        return min(100.0, 100 * there / total) if total else 100.0

    def _kill(self) -> None:
        def kill_all() -> None:
            pids = self._brick_processes()
            processes.kill(pids)
            if pids:
                raise NotYet(f"processes {sorted(pids)}")

        wait_for("the brick to end", kill_all, timeout=60)

    def _remove(self) -> int:
        """Remove the volume's folder from the brick, and GlusterFS's own links to its files; return their bytes."""
        target, size = self._brick / self._folder, 0
        for path in _tree(target):
            size += 0 if path.is_dir() else path.stat().st_blocks * 512
            gfid = _attribute(path, _GFID).hex()
            if gfid:
                uuid = "-".join((gfid[:8], gfid[8:12], gfid[12:16], gfid[16:20], gfid[20:]))
                (self._brick / ".glusterfs" / gfid[:2] / gfid[2:4] / uuid).unlink(missing_ok=True)
        shutil.rmtree(target)
        return size

    def _brick_processes(self) -> set[int]:
        return processes.with_argument(str(self._brick))

    def _runs(self) -> bool:
        return bool(self._brick_processes())

    def _serve(self) -> None:
        """Start the brick if it does not run, and check that all clients of the other bricks use it too.

        The self-heal daemon is one of these: it would find nothing to do on a brick that it does not reach.
        """
        try:
            self._files.start_missing_bricks()  # repeated, because glusterd may not have noticed yet that it has ended
            output = self._files.command("volume", "status", VOLUME, "clients")
        except EnvironmentFailure as error:
            raise NotYet(str(error)) from None
        clients = {brick: int(count) for brick, count in _CLIENTS.findall(output)}
        if clients.get(str(self._brick), 0) < max(clients.values(), default=1):
            raise NotYet(f"clients by brick: {clients}")


def _tree(folder: Path) -> Iterator[Path]:
    """Yield the folder and all below it, folders before their contents."""
    yield folder
    for here, folders, files in os.walk(folder):
        yield from (Path(here) / name for name in (*folders, *files))


def _healed_to(path: Path) -> int:
    """Return where a file's last data is: it is healed from its beginning on, at its full size."""
    low, high = 0, path.stat().st_size
    with path.open("rb") as file:
        while high - low > _HEALED_AT_ONCE:
            middle = (low + high) // 2
            try:
                os.lseek(file.fileno(), middle, os.SEEK_DATA)
                low = middle
            except OSError:  # no data from there on
                high = middle
    return high


def _attribute(path: Path, name: str) -> bytes:
    try:
        return os.getxattr(path, name, follow_symlinks=False)
    except OSError:
        return b""


def rebuild_commands(storage_class: str, *, name: str) -> dict[str, list[str]] | None:
    """Return the commands of a target file that lose and watch a replica of the class; None if it has none.

    Those of the replicated class, in the cluster `name`; the provisioner names a volume's folder by volume, namespace
    and claim.
    """
    if storage_class != CLASS:
        return None
    actions = {"trigger": "lose", "healthy": "whole", "progress": "progress", "restore": "restore"}
    command = [sys.executable, "-m", "embedded_cluster.rebuild"]
    return {key: [*command, action, name, "{volume}_{namespace}_{claim}"] for key, action in actions.items()}
