"""The Python packages of requirements.txt, as wheels for the image's platform, whatever this machine is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from release.running import Say, run_group

# As Python's wheels call them.
MACHINES: Mapping[str, str] = {"amd64": "x86_64", "arm64": "aarch64"}
# The oldest glibc that wheels name, and Debian bookworm's.
_GLIBC = range(5, 37)
_SECONDS = 1800


def install_packages(target: Path, *, requirements: Path, architecture: str, python: str, say: Say) -> None:
    """Unpack the pinned wheels into a folder, each with a hash that `requirements` has.

    Raises EnvironmentFailure where pip fails, or where this is another Python than the image's: markers are judged
    by the Python that runs, and so is what it compiles.
    """
    if f"{sys.version_info.major}.{sys.version_info.minor}" != python:
        raise EnvironmentFailure(
            f"wanted Python {python} to build with, as the image has, found {sys.version.split()[0]}"
        )
    machine = MACHINES[architecture]
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in _GLIBC] + [
        f"manylinux2014_{machine}",
        f"linux_{machine}",
    ]
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--no-compile"),
        *("--only-binary=:all:", "--implementation=cp", f"--python-version={python}", "--root-user-action=ignore"),
        *(f"--platform={platform}" for platform in platforms),
        f"--target={target}",
        f"--requirement={requirements}",
    ]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run_group(command, environment=environment, timeout=_SECONDS, say=say)
    _forget_commands(target)


def _forget_commands(target: Path) -> None:
    """Remove the commands that packages bring: their first line names the Python of this machine, and so do records."""
    for command in (target / "bin").glob("*"):
        command.unlink()
    (target / "bin").rmdir()
    for record in target.glob("*.dist-info/RECORD"):
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not line.startswith("../../bin/")), encoding="utf-8")


def compile_all(folder: Path, *, seen_as: str) -> None:
    """Compile all below the folder, which the image has at `seen_as`; what comes of it bears no time."""
    subprocess.run(
        [
            *(sys.executable, "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(folder), "-p", seen_as, str(folder)),
        ],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,  # files that are no Python, for tests of their own, are in some packages
        timeout=_SECONDS,
    )
