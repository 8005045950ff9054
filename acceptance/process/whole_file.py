"""Files that are complete at any time: a reader sees the old or the new version, even if the disk is full."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure


def write_whole(path: Path, text: str) -> None:
    """Write the text atomically. Raises EnvironmentFailure, naming the file, if that fails."""
    write_pieces_whole(path, [text])


def write_pieces_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a text atomically that comes in pieces, and may be too long for the memory."""
    # A new, unpredictable name: in a folder that others may write to, a known name could be a link to elsewhere.
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        scratch.touch(exist_ok=False)
        with scratch.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)  # an incomplete file takes space that others need
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror or error}") from error
