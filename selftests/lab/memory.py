"""A container that runs out of the memory that it may use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from acceptance.cluster.resources import Object
from embedded_cluster import cgroups
from embedded_cluster.waiting import NotYet, wait_for

# Takes memory without end in the container's cgroup, and is itself the last that the kernel would kill.
_HOG = """
import sys
open("/proc/self/oom_score_adj", "w").write("-1000")
open(sys.argv[1] + "/cgroup.procs", "w").write("0")
hoard = []
while True:
    hoard.append(b"x" * 2**20)
"""


def use_up_memory(pod: Object) -> None:
    """Have the kernel kill the load of the pod, which runs, for want of memory."""
    uid = str(pod["metadata"]["uid"])
    # The pod runs already before its shell has started fio.
    folder = wait_for(f"a container of pod {uid} to run fio", lambda: _container(uid), timeout=60)
    fio = set(_pids(folder, "fio"))
    hog = subprocess.Popen([sys.executable, "-c", _HOG, folder])

    def killed() -> None:
        if fio & set(_pids(folder, "fio")):
            raise NotYet("fio runs")

    try:
        wait_for("the load to be killed", killed, timeout=60, interval=0.1)
    finally:
        hog.kill()
        hog.wait()


def _container(uid: str) -> Path:
    """The memory cgroup of the container that fio runs in. Raises NotYet."""
    root = cgroups.ROOT if cgroups.is_v2() else cgroups.ROOT / "memory"
    for folder, _, _ in os.walk(root):
        if f"pod{uid}" in folder and any(_pids(Path(folder), "fio")):
            return Path(folder)
    raise NotYet("none does")


def _pids(folder: Path, program: str) -> list[int]:
    try:
        pids = [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []
    return [pid for pid in pids if _name(pid) == program]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
