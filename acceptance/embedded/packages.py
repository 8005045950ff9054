"""The programs that Debian supplies, installed where they are missing."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acceptance.embedded.locking import host_lock
from acceptance.embedded.progress import say, step
from acceptance.errors import EnvironmentFailure

CNI_PLUGINS = Path("/usr/lib/cni")

# A file of each package that must be there; the name alone is looked up in PATH.
PROGRAMS = {
    "etcd-server": "etcd",
    "containerd": "containerd",
    "runc": "runc",
    "containernetworking-plugins": str(CNI_PLUGINS / "bridge"),
    "fio": "fio",
    "sysbench": "sysbench",
    "busybox-static": "busybox",
    "glusterfs-server": "glusterd",
    "glusterfs-client": "glusterfs",
    "iproute2": "ip",
}

_POLICY = Path("/usr/sbin/policy-rc.d")


def missing(programs: Mapping[str, str] = PROGRAMS) -> list[str]:
    """The packages whose program is not on this host."""
    return [package for package, program in programs.items() if shutil.which(program) is None]


def ensure(programs: Mapping[str, str] = PROGRAMS) -> bool:
    """Install what is missing with apt-get, starting no service; returns whether anything was.

    Raises EnvironmentFailure where there is no apt-get or where it fails.
    """
    if not missing(programs):
        return False
    with host_lock("packages"):  # apt-get does not wait for another one
        wanted = missing(programs)
        if wanted:
            _install(wanted, programs)
    return True


def _install(wanted: Sequence[str], programs: Mapping[str, str]) -> None:
    say(f"missing Debian packages, installing: {' '.join(wanted)}")
    by_hand = f"Install them yourself, or have an administrator do it: {' '.join(wanted)}"
    if shutil.which("apt-get") is None:
        raise EnvironmentFailure(f"programs are missing and there is no apt-get to install them with. {by_hand}")
    with step("install Debian packages"), no_service_starts():
        _apt(["update"], by_hand=by_hand)
        _apt(["install", "--yes", "--no-install-recommends", *wanted], by_hand=by_hand)
    if left := missing(programs):
        raise EnvironmentFailure(f"apt-get installed {' '.join(left)}, yet their programs are not in PATH")


@contextlib.contextmanager
def no_service_starts() -> Iterator[None]:
    """Keep package scripts from starting services, by Debian's own means; a policy that is there is kept."""
    if _POLICY.exists():
        yield
        return
    _POLICY.write_text("#!/bin/sh\nexit 101\n")
    _POLICY.chmod(0o755)
    try:
        yield
    finally:
        _POLICY.unlink(missing_ok=True)


def _apt(arguments: Sequence[str], *, by_hand: str) -> None:
    result = subprocess.run(
        ["apt-get", *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        last = "\n".join(f"  {line}" for line in result.stdout.splitlines()[-10:])
        raise EnvironmentFailure(f"`apt-get {' '.join(arguments)}` ended with {result.returncode}:\n{last}\n{by_hand}")
