"""The workspace of a run on this host: its own folder in each directory."""

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

    `keep_output` takes the name of a segment of load and its complete output, in pieces, also of a failed one.
    """

    def __init__(
        self, directories: Sequence[str], *, run_id: str, keep_output: Callable[[str, Iterable[str]], None]
    ) -> None:
        self.keep_output = keep_output
        self._folders = {directory: Path(directory) / run_namespace(run_id) for directory in directories}
        self._created_folders: list[Path] = []

    def folder(self, directory: str) -> Path:
        """Return the run's folder in a directory."""
        return self._folders[directory]

    def make(self) -> None:
        """Create all folders; root gives them to the user `nobody`, which then loads them, if that user can reach them.

        Raises EnvironmentFailure if a folder cannot be created.
        """
        is_given_to_nobody = os.geteuid() == 0 and all(map(_can_be_given, self._folders))
        for folder in self._folders.values():
            # Recorded first: an interruption in between must not leave the folder behind.
            self._created_folders.append(folder)
            try:
                folder.mkdir(mode=0o700)
            except OSError as error:
                self._created_folders.remove(folder)
                raise EnvironmentFailure(f"folder {folder} cannot be created: {error}") from error
            if is_given_to_nobody:
                os.chown(folder, NOBODY, NOBODY)

    def remove(self) -> None:
        """Remove the created folders with their contents. Raises StorageFailure naming every folder that remains."""
        problems = []
        for folder in self._created_folders:
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                problems.append(f"{folder} cannot be removed: {error}")
        if problems:
            raise StorageFailure("\n".join(problems))

    @property
    def removed_by(self) -> str:
        """The shell command that removes the folders by hand."""
        return shlex.join(["rm", "-r", *map(str, self._folders.values())])


def _can_be_given(directory: str) -> bool:
    """Return whether root may give away files in the directory, and any user may enter it."""
    there = Path(directory).resolve()
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in (there, *there.parents)):
        return False
    with tempfile.TemporaryDirectory(dir=there, prefix=NAMESPACE_PREFIX) as trial_folder:
        try:
            os.chown(trial_folder, NOBODY, NOBODY)
        except OSError:  # a file system without owners, or one that denies it to root
            return False
    return True
