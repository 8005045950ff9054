"""The requirements that a host must meet, checked before anything is changed, and reported together."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cgroups
from embedded_cluster.commands import succeeds
from embedded_cluster.layout import STATE_ROOT
from embedded_cluster.network import port_problem
from embedded_cluster.state import CEPH, LONGHORN

ALTERNATIVES = (
    "Without an embedded cluster: test an existing cluster with `--storage-kubeconfig FILE`, or a cluster in Docker "
    "with `--storage-cluster kind`."
)

PART_MEMORY = {CEPH: 2.0, LONGHORN: 2.5}
"""In GiB, of the parts that a cluster may have, in addition to the memory of every cluster; others need little."""

_GIB = 1024**3


@dataclass(frozen=True)
class Needs:
    """The requirements of `up`: free disk and memory in GiB, and the API server's port if it is to be fixed.

    `loop_devices`: more of them can be created, for volumes. `disks`: a kind of `embedded_cluster.disks`, or None for
    memory if enough of it is free.
    """

    free_disk: float = 6
    free_memory: float = 1.5
    api_port: int | None = None
    loop_devices: bool = False
    disks: str | None = None


def memory_for(parts: Iterable[str]) -> float:
    """Return the GiB that a cluster with these parts needs."""
    return Needs.free_memory + sum(PART_MEMORY.get(part, 0) for part in set(parts))


def require_root() -> None:
    """Raise EnvironmentFailure for any other user."""
    if os.geteuid() != 0:
        raise EnvironmentFailure(
            "the embedded cluster needs root: it mounts file systems and creates network links and cgroups. "
            f"This is user {os.geteuid()}. Run the command as root, for example with sudo.\n{ALTERNATIVES}"
        )


def check(needs: Needs) -> None:
    """Raise EnvironmentFailure naming every problem; do nothing if there is none."""
    tests: list[Callable[[], str | None]] = [
        _mounting,
        _links,
        _fuse,
        _kernel_messages,
        _controllers,
        lambda: _disk(needs.free_disk),
        lambda: _memory(needs.free_memory),
        lambda: _port(needs.api_port),
        *([loop_device_problem] if needs.loop_devices else []),
    ]
    problems = [problem for test in tests if (problem := test())]
    if problems:
        lines = "\n".join(f"- {problem}" for problem in problems)
        raise EnvironmentFailure(f"the embedded cluster cannot run here:\n{lines}\n{ALTERNATIVES}")


def snapshotter() -> str:
    """Return the way containerd stores images: overlayfs if the state folder's disk allows it, else copies."""
    existing = next(folder for folder in (STATE_ROOT, *STATE_ROOT.parents) if folder.exists())
    with tempfile.TemporaryDirectory(dir=existing) as folder:
        for name in ("lower", "upper", "work", "all"):
            Path(folder, name).mkdir()
        options = f"lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work"
        # In a mount namespace of its own, so the mount ends with the command.
        works = succeeds(["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o", options, f"{folder}/all"])
    return "overlayfs" if works else "native"


def _mounting() -> str | None:
    if succeeds(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]):
        return None
    return "mounting is not allowed, although this is root: a container must be privileged (CAP_SYS_ADMIN)"


def _links() -> str | None:
    """Try bridge and veth in a network namespace of its own; skip that before `ip` is installed."""
    if shutil.which("ip") is None:
        return None
    script = "ip link add b0 type bridge && ip link add v0 type veth peer name v1"
    if succeeds(["unshare", "--net", "sh", "-c", script]):
        return None
    return "bridges and veth links cannot be created: the kernel lacks them, or CAP_NET_ADMIN is missing"


def _fuse() -> str | None:
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"/dev/fuse cannot be opened ({error.strerror}); the replicated class needs it. Try `modprobe fuse`"
    return None


def loop_device_problem() -> str | None:
    """Return why no loop devices can be created here; None if they can."""
    try:
        os.close(os.open("/dev/loop-control", os.O_RDWR))
    except OSError as error:
        return f"/dev/loop-control cannot be opened ({error.strerror}); volumes need it. Try `modprobe loop`"
    return None


def _kernel_messages() -> str | None:
    if Path("/dev/kmsg").exists():
        return None
    return "/dev/kmsg is missing, and a kubelet reads it; in a container, start it with `--device /dev/kmsg`"


def _controllers() -> str | None:
    if missing := cgroups.missing_controllers():
        return f"the cgroup controllers {', '.join(missing)} are missing below {cgroups.ROOT}; a kubelet needs them"
    probe = cgroups.hierarchies()[0] / f"storage-acceptance-probe-{os.getpid()}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError as error:
        return f"cgroups cannot be created below {cgroups.ROOT} ({error.strerror}); it must be mounted writable"
    return None


def _disk(least: float) -> str | None:
    existing = next(folder for folder in (STATE_ROOT, *STATE_ROOT.parents) if folder.exists())
    free = shutil.disk_usage(existing).free / _GIB
    if free >= least:
        return None
    return f"{free:.1f} GiB are free for {STATE_ROOT}, {least:.1f} GiB are needed; free space, or lower --min-free-disk"


def _memory(least: float) -> str | None:
    free = psutil.virtual_memory().available / _GIB
    return None if free >= least else f"{free:.1f} GiB of memory are available, {least:.1f} GiB are needed"


def _port(port: int | None) -> str | None:
    problem = port_problem(port, address="127.0.0.1") if port else None
    return f"{problem}. Stop that process, or leave out --api-port to take any free port" if problem else None
