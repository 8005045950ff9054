"""Where a run works on this host: a folder of its own in each directory."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from acceptance.cluster.objects import NAMESPACE_PREFIX, run_namespace
from acceptance.text.errors import EnvironmentFailure, StorageFailure

# The numeric id that distributions give to "nobody".
NOBODY = 65534


class HostWorkspace:
    """The run's folder in each of the directories.

    `keep_output` takes the name of a segment of load and all that it printed, in pieces, whether or not it went well.
    """

    def __init__(
        self, directories: Sequence[str], *, run_id: str, keep_output: Callable[[str, Iterable[str]], None]
    ) -> None:
        self.keep_output = keep_output
        self._folders = {directory: Path(directory) / run_namespace(run_id) for directory in directories}
        self._made: list[Path] = []

    def folder(self, directory: str) -> Path:
        """The run's folder in that directory."""
        return self._folders[directory]

    def make(self) -> None:
        """Make all folders; root gives them to nobody, as whom they are then loaded, where nobody can get there.

        Raises EnvironmentFailure when one cannot be made.
        """
        given = os.geteuid() == 0 and all(map(_can_be_given, self._folders))
        for folder in self._folders.values():
            # Noted first: an interruption in between must not leave it behind.
            self._made.append(folder)
            try:
                folder.mkdir(mode=0o700)
            except OSError as error:
                self._made.remove(folder)
                raise EnvironmentFailure(f"folder {folder} cannot be made: {error}") from error
            if given:
                os.chown(folder, NOBODY, NOBODY)

    def remove(self) -> None:
        """Remove what was made, with all that is in it. Raises StorageFailure naming every folder that is left."""
        left = []
        for folder in self._made:
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                left.append(f"{folder} cannot be removed: {error}")
        if left:
            raise StorageFailure("\n".join(left))

    @property
    def removed_by(self) -> str:
        """The command that removes the folders by hand."""
        return shlex.join(["rm", "-r", *map(str, self._folders.values())])


def _can_be_given(directory: str) -> bool:
    """Whether root may give away what is in the directory, and any user may go there."""
    there = Path(directory).resolve()
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in (there, *there.parents)):
        return False
    with tempfile.TemporaryDirectory(dir=there, prefix=NAMESPACE_PREFIX) as tried:
        try:
            os.chown(tried, NOBODY, NOBODY)
        except OSError:  # a file system without owners, or one that keeps root from it
            return False
    return True
