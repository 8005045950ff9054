"""The Python packages of requirements.txt, as wheels for the image's platform, whatever this machine is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from release.running import Say, run_group

# The names of architectures in Python's wheels.
MACHINES: Mapping[str, str] = {"amd64": "x86_64", "arm64": "aarch64"}
# The minor versions of glibc, from the oldest that wheels name to Debian bookworm's.
_GLIBC = range(5, 37)
_SECONDS = 1800


def install_packages(target: Path, *, requirements: Path, architecture: str, python: str, say: Say) -> None:
    """Unpack the pinned wheels into a folder, each with a hash that `requirements` has.

    Raises EnvironmentFailure if pip fails, or if this Python is not the image's: the Python that runs evaluates the
    markers and compiles the files.
    """
    if f"{sys.version_info.major}.{sys.version_info.minor}" != python:
        raise EnvironmentFailure(f"expected Python {python}, the version of the image, found {sys.version.split()[0]}")
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
    """Remove the commands of packages: their first line names the Python of this machine, and so do records."""
    for command in (target / "bin").glob("*"):
        command.unlink()
    (target / "bin").rmdir()
    for record in target.glob("*.dist-info/RECORD"):
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not line.startswith("../../bin/")), encoding="utf-8")


def compile_all(folder: Path, *, seen_as: str) -> None:
    """Compile all below the folder, which the image has at `seen_as`; the compiled files contain no time."""
    subprocess.run(
        [
            *(sys.executable, "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(folder), "-p", seen_as, str(folder)),
        ],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,  # some packages contain files that are not Python, for their own tests
        timeout=_SECONDS,
    )
