"""The cluster's cgroups, on hosts with cgroup v1 hierarchies, with v2 alone, or with v2 next to v1."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from embedded_cluster.waiting import NotYet, wait_for

ROOT = Path("/sys/fs/cgroup")

# The controllers that a kubelet refuses to start without.
REQUIRED_V1 = ("cpu", "cpuacct", "cpuset", "memory")
REQUIRED_V2 = ("cpu", "cpuset", "memory", "pids")

_WEIGHT = 8
"""The weight of the pods, in relation to other work of the host."""
_PERIOD_US = 100_000
"""The period of a CPU quota, after which it is renewed: the kernel's own default."""


def is_v2() -> bool:
    """Return whether v2 is the only kind here; with both, kubelet and runc use v1."""
    return (ROOT / "cgroup.controllers").exists()


def hierarchies() -> list[Path]:
    """Return the root of every mounted hierarchy once: cpu and cpuacct are often one under two names."""
    if is_v2():
        return [ROOT]
    folders = (folder.resolve() for folder in sorted(ROOT.iterdir()) if folder.is_dir())
    return list(dict.fromkeys(folder for folder in folders if (folder / "cgroup.procs").exists()))


def missing_controllers() -> list[str]:
    """Return the controllers that a kubelet needs and this host does not offer."""
    if is_v2():
        available = (ROOT / "cgroup.controllers").read_text().split()
        return [controller for controller in REQUIRED_V2 if controller not in available]
    return [controller for controller in REQUIRED_V1 if not (ROOT / controller / "cgroup.procs").exists()]


def create_for_pods(path: str) -> None:
    """Create the cgroup below which a kubelet creates those of its pods, under every hierarchy."""
    for hierarchy in hierarchies():
        _create(hierarchy, path)
        _outweigh_others(hierarchy / Path(path).parts[0])
    if is_v2():
        _delegate(ROOT / path)


def limit_cpu(path: str, *, cpus: float, pids: Iterable[int]) -> None:
    """Limit processes to that many CPUs together, such as 0.1, by a cgroup of that name, until `unlimit_cpu`.

    A process that has ended stays out. Does nothing on a kernel that sets no such limits.
    """
    quota_us = int(cpus * _PERIOD_US)
    for hierarchy in hierarchies():
        for name, text in (("cpu.cfs_quota_us", f"{quota_us}"), ("cpu.max", f"{quota_us} {_PERIOD_US}")):
            folder = hierarchy / path
            if is_v2() or (hierarchy / name).exists():
                _create(hierarchy, path)
            if (folder / name).exists():
                (folder / name).write_text(text)
                _enter(folder, pids)


def unlimit_cpu(path: str, *, like: int) -> None:
    """Let all processes in the cgroup use as many CPUs as they can: move them to the cgroup of the process `like`."""
    for hierarchy in hierarchies():
        if (hierarchy / path).exists():
            pids = (hierarchy / path / "cgroup.procs").read_text().split()
            _enter(hierarchy / _cgroup_of(like, hierarchy), map(int, pids))


def _cgroup_of(pid: int, hierarchy: Path) -> str:
    """Return the path of a process's cgroup below the root of the hierarchy."""
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if hierarchy == ROOT or set(controllers.split(",")) & set(hierarchy.name.split(",")):
            return path.lstrip("/")
    return ""


def _enter(folder: Path, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            (folder / "cgroup.procs").write_text(str(pid))


def _create(hierarchy: Path, path: str) -> Path:
    folder = hierarchy
    for part in Path(path).parts:
        if is_v2():
            _delegate(folder)
        folder = folder / part
        folder.mkdir(exist_ok=True)
        _inherit_cpuset(folder)
    return folder


def _delegate(folder: Path) -> None:
    """Let children of a v2 cgroup use all controllers that it has."""
    for controller in (folder / "cgroup.controllers").read_text().split():
        with contextlib.suppress(OSError):  # A controller that cannot be delegated matters only if a kubelet needs it.
            (folder / "cgroup.subtree_control").write_text(f"+{controller}")


def _inherit_cpuset(folder: Path) -> None:
    """Copy the parent's: a new v1 cpuset is empty, and no process can enter it without CPUs and memory nodes."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        own, parents = folder / name, folder.parent / name
        if not is_v2() and own.exists() and not own.read_text().strip():
            own.write_text(parents.read_text())


def _outweigh_others(folder: Path) -> None:
    """Give all pods of all clusters more CPU time than other work of this host gets.

    The nodes of a real cluster have their CPUs to themselves; here a compiler next to them would count as slow storage.
    """
    for name, default in (("cpu.shares", 1024), ("cpu.weight", 100)):
        if (folder / name).exists():
            (folder / name).write_text(str(default * _WEIGHT))


def _marking_root() -> Path:
    """Return the hierarchy that records which processes are the cluster's: it limits nothing and always exists."""
    if is_v2():
        return ROOT
    candidates = (ROOT / name for name in ("pids", "freezer", "devices", "memory"))
    return next(folder for folder in candidates if (folder / "cgroup.procs").exists())


def create_marking(path: str) -> None:
    """Create the cgroup that marks one daemon and all its children."""
    (_marking_root() / path).mkdir(parents=True, exist_ok=True)


def enter_marking(path: str, pid: int) -> None:
    """Move a process that was just started. If it has ended already, the caller that waits for it notices."""
    _enter(_marking_root() / path, [pid])


def members(path: str) -> set[int]:
    """Return the pids in a cgroup and all below it, in any hierarchy."""
    pids: set[int] = set()
    for hierarchy in hierarchies():
        for folder, _, files in os.walk(hierarchy / path):
            if "cgroup.procs" in files:
                with contextlib.suppress(OSError):
                    pids.update(int(pid) for pid in (Path(folder) / "cgroup.procs").read_text().split())
    return pids - {0}


def remaining(path: str) -> list[Path]:
    """Return the folders of a cgroup that exist, one for each hierarchy that has it."""
    return [hierarchy / path for hierarchy in hierarchies() if (hierarchy / path).exists()]


def remove(path: str) -> None:
    """Remove a cgroup and all below it from every hierarchy; they must be empty of processes.

    Raises EnvironmentFailure if the kernel still holds one after a minute.
    """

    def remove_all() -> None:
        for top in remaining(path):
            for folder, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):  # Busy for a moment after its last process was killed.
                    Path(folder).rmdir()
        if busy := remaining(path):
            raise NotYet(f"busy: {', '.join(map(str, busy))}")

    wait_for(f"the cgroup {path} to be removed", remove_all, timeout=60)
    for hierarchy in hierarchies():
        with contextlib.suppress(OSError):  # The shared parent is removed with the last cluster.
            (hierarchy / path).parent.rmdir()
