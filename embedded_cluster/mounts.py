"""The mounts below a folder: lists, unmounts and shares them."""

import contextlib
import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run

ANSWERS_S = 20
"""Seconds in which a mount must answer; without its daemon, it may never do so."""
MOST = 1000
"""The most that are unmounted in one call: more than any cluster has, so that it ends even if mounts are added."""


def targets(mountinfo: str) -> list[Path]:
    """Return the mount points, in the order of mounting; `mountinfo`: as in /proc/PID/mountinfo."""
    # The kernel writes blanks and backslashes as octal.
    return [
        Path(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), line.split()[4]))
        for line in mountinfo.splitlines()
    ]


def below(folder: Path) -> list[Path]:
    """Return everything mounted on `folder` or below it, the last mounted first."""
    all_targets = targets(Path("/proc/self/mountinfo").read_text())
    return [target for target in all_targets if target.is_relative_to(folder)][::-1]


def unmount(folder: Path) -> None:
    """Unmount everything on and below `folder`; detach what is still in use."""
    for target in below(folder)[:MOST]:
        try:
            run(["umount", target])
        except EnvironmentFailure:
            with contextlib.suppress(EnvironmentFailure):
                run(["umount", "--lazy", "--force", target])


def require_answer(mount: Path) -> None:
    """Raise EnvironmentFailure, naming `mount`, if its file system reports an error or does not answer in ANSWERS_S.

    A child process queries it: if no answer comes, the kernel blocks that process, perhaps beyond all signals.
    """
    run(["stat", "--file-system", mount], timeout=ANSWERS_S)


def share(folder: Path) -> None:
    """Propagate mounts and unmounts below `folder` from now on, also to namespaces that are created later.

    The folder becomes a mount of its own for that, apart from the one it is part of, whose own sharing stays as it is.
    """
    # Private first: a bind joins the peer group of the mount of its folder, and would get each mount twice.
    run(["mount", "--bind", "--make-private", folder, folder])
    run(["mount", "--make-shared", folder])
