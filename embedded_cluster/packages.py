"""The programs that Debian supplies, installed if they are missing."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.locking import host_lock
from embedded_cluster.progress import say, step

CNI_PLUGINS = Path("/usr/lib/cni")

# A file of each package that must exist; a name alone is looked up in PATH.
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
    "e2fsprogs": "mkfs.ext4",
    "iproute2": "ip",
    "nftables": "nft",
}
# Time to download all lists of packages, and all packages, from a slow mirror.
_APT_SECONDS = 1200
_POLICY = Path("/usr/sbin/policy-rc.d")
# These words distinguish the policy of a killed installation from the host's own.
_POLICY_TEXT = "#!/bin/sh\n# storage-acceptance: while its packages are installed\nexit 101\n"
# The services that these packages start with the host.
_SERVICES = {
    "etcd-server": "etcd",
    "containerd": "containerd",
    "glusterfs-server": "glusterd",
    "ceph-base": "ceph-crash",
    "postgresql": "postgresql",
}


def missing(programs: Mapping[str, str] = PROGRAMS) -> list[str]:
    """Return the packages whose program, or other file, is not on this host."""
    return [package for package, program in programs.items() if not _there(program)]


def _there(program: str) -> bool:
    if program.startswith("/"):
        return any(Path("/").glob(program[1:]))  # for folders that are named after the architecture
    return shutil.which(program) is not None


def ensure(programs: Mapping[str, str] = PROGRAMS) -> bool:
    """Install what is missing with apt-get, starting no service; return whether anything was.

    Raises EnvironmentFailure if there is no apt-get or if it fails.
    """
    if not missing(programs):
        return False
    with host_lock("packages"):  # apt-get does not wait for another apt-get
        names = missing(programs)
        if names:
            _install(names, programs)
    return True


def _install(names: Sequence[str], programs: Mapping[str, str]) -> None:
    say(f"missing Debian packages, installing: {' '.join(names)}")
    by_hand = f"Install them yourself, or have an administrator do it: {' '.join(names)}"
    if shutil.which("apt-get") is None:
        raise EnvironmentFailure(f"programs are missing and there is no apt-get to install them with. {by_hand}")
    with step("install Debian packages"), no_service_starts():
        _apt(["update"], by_hand=by_hand)
        # Installed packages stay, also if they conflict with these.
        _apt(["install", "--yes", "--no-install-recommends", "--no-remove", *names], by_hand=by_hand)
        for package in names:
            if package in _SERVICES:
                _disable(_SERVICES[package])
    if still_missing := missing(programs):
        raise EnvironmentFailure(
            f"apt-get installed {' '.join(still_missing)}, but the required programs are still missing"
        )


@contextlib.contextmanager
def no_service_starts() -> Iterator[None]:
    """Keep package scripts from starting services, by Debian's own means; keep an existing policy."""
    if _POLICY.exists() and _POLICY.read_text(errors="replace") != _POLICY_TEXT:
        yield
        return
    _POLICY.write_text(_POLICY_TEXT)
    _POLICY.chmod(0o755)
    try:
        yield
    finally:
        _POLICY.unlink(missing_ok=True)


def _disable(service: str) -> None:
    """Have the host not start the service when it boots; the cluster starts its own."""
    for command in (["systemctl", "--quiet", "disable", service], ["update-rc.d", service, "disable"]):
        if shutil.which(command[0]):  # even if it does not know the service
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=60,
                    check=False,
                )


def _apt(arguments: Sequence[str], *, by_hand: str) -> None:
    try:
        result = subprocess.run(
            ["apt-get", *arguments],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_APT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentFailure(
            f"`apt-get {' '.join(arguments)}` did not end within {_APT_SECONDS} s and was killed: does a mirror of "
            f"/etc/apt/sources.list not answer? `dpkg --configure -a` completes unfinished installations.\n{by_hand}"
        ) from None
    if result.returncode:
        last = "\n".join(f"  {line}" for line in result.stdout.splitlines()[-10:])
        raise EnvironmentFailure(f"`apt-get {' '.join(arguments)}` ended with {result.returncode}:\n{last}\n{by_hand}")
