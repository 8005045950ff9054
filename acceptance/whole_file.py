"""Files that are whole at any time: a reader sees the old one or the new one, also when the disk is full."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from acceptance.errors import EnvironmentFailure


def write_whole(path: Path, text: str) -> None:
    """Write the text in one move. Raises EnvironmentFailure, naming the file, when that cannot be."""
    # A name that nobody can foresee, made anew: in a folder that others may write to, one could be a link to elsewhere.
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        scratch.touch(exist_ok=False)
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)  # what is half written takes room that others need
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror or error}") from error
