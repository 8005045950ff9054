"""The mounts below a folder, and their end."""

import contextlib
import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run


def below(folder: Path) -> list[Path]:
    """Everything mounted on `folder` or below it, the last mounted first."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        # The kernel writes blanks and backslashes as octal.
        target = Path(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), line.split()[4]))
        if target.is_relative_to(folder):
            found.append(target)
    return found[::-1]


def unmount(folder: Path) -> None:
    """Unmount everything on and below `folder`; what is still held is detached."""
    for target in below(folder):
        try:
            run(["umount", target], timeout=10)
        except EnvironmentFailure:
            with contextlib.suppress(EnvironmentFailure):
                run(["umount", "--lazy", "--force", target], timeout=10)
