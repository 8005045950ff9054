"""The lowest layer: Debian with Python and the load generators, by mmdebstrap, the same bytes for the same packages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from embedded_cluster.packages import ensure
from release.running import Say, run_group

TOOLS = {"mmdebstrap": "mmdebstrap", "debian-archive-keyring": "/usr/share/keyrings/debian-archive-keyring.gpg"}
"""Debian packages that the build needs, each with the program or file that it must bring."""
# No file is younger: the files of packages are older, or created at the time of the build.
NOT_AFTER = 1686355200  # 10 June 2023, bookworm's own day
_SECONDS = 1800
_BESIDE = ("python3", "ca-certificates")
# Files that no run reads. Terms of use stay.
_LEFT_OUT = ("/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*", "/usr/share/doc/*", "/usr/share/lintian/*")
_KEPT_PATHS = ("/usr/share/doc/*/copyright",)
# Python's own files are compiled again: what Debian's scripts compile contains the time of compilation.
_COMPILE = (
    'chroot "$1" python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3 /usr/lib/python{}'
)
# Files of this host; Kubernetes writes both for each pod.
_FORGET = 'rm -f "$1/etc/hostname" "$1/etc/resolv.conf"'
_NO_OTHER_USER = 'find "$1" -xdev -type f -perm /6000 -exec chmod ug-s {} +'


def write_root(
    target: Path,
    *,
    debian: str,
    python: str,
    architecture: str,
    programs: Sequence[str],
    say: Say,
    mirrors: Sequence[str] = (),
) -> None:
    """Write a tar file with a root file system of that release. `mirrors`: lines of sources.list, or addresses.

    `say` is given what mmdebstrap reports of its steps.

    Installs what is missing of TOOLS. Raises EnvironmentFailure with the last output of mmdebstrap.
    """
    ensure(TOOLS)
    command = [
        "mmdebstrap",
        "--format=tar",
        "--variant=essential",
        f"--architectures={architecture}",
        f"--include={','.join([*_BESIDE, *programs])}",
        # A builder without permission to create devices could not unpack them, and no container needs them.
        "--skip=output/dev",
        *(f"--dpkgopt=path-exclude={path}" for path in _LEFT_OUT),
        *(f"--dpkgopt=path-include={path}" for path in _KEPT_PATHS),
        *(f"--customize-hook={hook}" for hook in (_COMPILE.format(python), _FORGET, _NO_OTHER_USER)),
        debian,
        str(target),
        *mirrors,
    ]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(NOT_AFTER), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    run_group(command, environment=environment, timeout=_SECONDS, say=say, shown_prefix="I: ")
