"""The history file that a command line names."""

from __future__ import annotations

from pathlib import Path

from acceptance.results.history_file import History, history_path, read_history
from acceptance.text.errors import WrongUsage


def named_history(location: Path) -> History:
    """Return the history at this location, a file or a folder. Raise WrongUsage if it holds no history."""
    try:
        path = history_path(location)
    except ValueError as error:
        raise WrongUsage(str(error)) from error
    if not path.exists():
        raise WrongUsage(f"expected a history, found no file {path}; name the file of --storage-history")
    return read_history(path)
