"""A disk with a volatile write cache: it acknowledges flushes that it has not done, and loses them with its node.

nbdkit's `cache=unsafe` over a file: a crash kills nbdkit, and what is mounted again is what had reached the file. The
suite's own node-failure hook does it: `python -m selftests.lab.volatile_cache fail CLUSTER FOLDER NODE`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

import embedded_cluster
from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import mounts, packages
from embedded_cluster.commands import run
from embedded_cluster.processes import kill, started_ticks
from embedded_cluster.waiting import NotYet, wait_for
from selftests.lab.disks import PROGRAMS

# As the lab's provisioner names the folders of volumes.
VOLUMES = "lab-*"


class VolatileCacheDisk:
    """The disk below `folder`; its file system is mounted on `mounted` while it is started. Its processes are found by
    a file there, for it crashes by another process's hand."""

    def __init__(self, folder: Path) -> None:
        self.mounted = folder / "mounted"
        self._file = folder / "platter"
        self._exported = folder / "exported"
        self._served = self._exported / "disk"
        self._pid = folder / "pid"
        self._loop = folder / "loop"

    def make(self, *, size: str) -> None:
        """An empty file system that is all on the file."""
        packages.ensure(PROGRAMS)
        for each in (self.mounted, self._exported):
            each.mkdir(parents=True)
        self._served.touch()
        run(["truncate", "--size", size, self._file])
        run(["mkfs.ext4", "-q", self._file])

    def start(self, volumes: Sequence[str] = ()) -> None:
        """Mount what is on the file. `volumes`: folders that must be there, as empty as their provisioner made them."""
        nbdkit = ["nbdkit", "-s", "--exit-with-parent", "--filter=cache", "file", str(self._file), "cache=unsafe"]
        server = subprocess.Popen(
            ["nbdfuse", self._served, "--command", *nbdkit],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # it outlives the hook that starts it
        )
        self._pid.write_text(str(server.pid))

        def served() -> None:
            if self._served.stat().st_size == 0:
                raise NotYet("the device file is empty")

        wait_for("nbdfuse to serve the disk", served, timeout=30)
        loop = run(["losetup", "--find", "--show", "--direct-io=on", self._served]).strip()
        self._loop.write_text(loop)
        run(["mount", loop, self.mounted])
        self.mounted.chmod(0o777)
        for name in volumes:
            (self.mounted / name).mkdir(exist_ok=True)
            (self.mounted / name).chmod(0o777)

    def crash(self) -> list[str]:
        """Kill what serves the disk, and all that it held back with it; the names of the volumes that were on it."""
        volumes = [path.name for path in self.mounted.glob(VOLUMES)]
        self._kill()
        self.release()
        return volumes

    def release(self) -> None:
        """Nothing of it is mounted, attached or running any more."""
        mounts.unmount(self.mounted)
        if self._loop.exists():
            with suppress(EnvironmentFailure):  # it goes by itself when its last user is gone
                run(["losetup", "--detach", self._loop.read_text()])
            self._loop.unlink()
        self._kill()
        mounts.unmount(self._served)

    def _kill(self) -> None:
        if not self._pid.exists():
            return
        server = int(self._pid.read_text())
        with suppress(psutil.NoSuchProcess):
            of_disk = {child.pid for child in psutil.Process(server).children(recursive=True)} | {server}
            kill(of_disk)  # the disk itself and who serves it at once: nothing has the time to write back

            def gone() -> None:
                if left := [pid for pid in of_disk if started_ticks(pid) is not None]:
                    raise NotYet(f"processes {left}")

            wait_for("the disk's processes to end", gone, timeout=60)
        self._pid.unlink()


@contextmanager
def volatile_cache_disk(folder: Path, *, size: str) -> Iterator[VolatileCacheDisk]:
    """Such a disk, mounted for as long as the block; nothing of it is left behind."""
    disk = VolatileCacheDisk(folder)
    disk.make(size=size)
    try:
        disk.start()
        yield disk
    finally:
        disk.release()


def hook(cluster: str, folder: Path) -> dict[str, list[str]]:
    """The section `node_failure` of a target file: a node fails, and the disk with it."""
    fail = [sys.executable, "-m", "selftests.lab.volatile_cache", "fail", cluster, str(folder), "{node}"]
    return {"fail": fail, "restore": embedded_cluster.node_failure_commands(name=cluster)["restore"]}


def main(arguments: Sequence[str]) -> int:
    """`fail CLUSTER FOLDER NODE`."""
    _, cluster, folder, node = arguments
    embedded_cluster.stop_node(cluster, node)
    disk = VolatileCacheDisk(Path(folder))
    disk.start(disk.crash())
    print(f"node {node} killed, and the disk with what it had not written yet")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
