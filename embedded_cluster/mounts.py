"""The mounts below a folder, their end, and who else sees them."""

import contextlib
import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run

MOST = 1000
"""that are unmounted in one go: more than any cluster has, so that one whose mounts grow has an end all the same"""


def targets(mountinfo: str) -> list[Path]:
    """Where something is mounted, in the order of mounting; `mountinfo`: as in /proc/PID/mountinfo."""
    # The kernel writes blanks and backslashes as octal.
    return [
        Path(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), line.split()[4]))
        for line in mountinfo.splitlines()
    ]


def below(folder: Path) -> list[Path]:
    """Everything mounted on `folder` or below it, the last mounted first."""
    mounted = targets(Path("/proc/self/mountinfo").read_text())
    return [target for target in mounted if target.is_relative_to(folder)][::-1]


def unmount(folder: Path) -> None:
    """Unmount everything on and below `folder`; what is still held is detached."""
    for target in below(folder)[:MOST]:
        try:
            run(["umount", target])
        except EnvironmentFailure:
            with contextlib.suppress(EnvironmentFailure):
                run(["umount", "--lazy", "--force", target])


def share(folder: Path) -> None:
    """Let what is mounted below `folder` from now on be mounted, and unmounted, in namespaces made later too.

    The folder becomes a mount of its own for that, apart from the one it is part of, whose own sharing stays as it is.
    """
    # Private first: a bind joins those whom the mount of its folder shares with, and would get each mount twice.
    run(["mount", "--bind", "--make-private", folder, folder])
    run(["mount", "--make-shared", folder])
