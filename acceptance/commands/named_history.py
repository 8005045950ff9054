"""The history that a command is given."""

from __future__ import annotations

from pathlib import Path

from acceptance.results.history_file import History, history_path, read_history
from acceptance.text.errors import WrongUsage


def named_history(named: Path) -> History:
    """The history of this name, a file or a folder. Raises WrongUsage where there is none, or it is something else."""
    try:
        path = history_path(named)
    except ValueError as error:
        raise WrongUsage(str(error)) from error
    if not path.exists():
        raise WrongUsage(f"wanted a history, found no file {path}; name the one that --storage-history has")
    return read_history(path)
