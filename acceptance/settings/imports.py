"""`--storage-import FILE[:NAME]`: files of other tools, and what to call them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

ImportedFailures = Literal["show", "fail"]
"""What a failure in such a file does: it is told, or it fails the run too."""


def named_import(text: str) -> tuple[Path, str]:
    """The file, and its name, empty where none was given; a file with a colon in its name is one file.

    Raises ValueError where there is no such file.
    """
    path, _, name = text.rpartition(":")
    for found, called in ((text, ""), (path, name.strip())):
        if found and Path(found).expanduser().is_file():
            return Path(found).expanduser(), called
    raise ValueError(f"wanted a JUnit file as FILE or FILE:NAME, found {text!r}, and there is no such file")


def named_imports(value: object) -> tuple[str, ...]:
    """All of them, as they were written. Raises ValueError for the first that is no file."""
    texts = (
        [str(each) for each in value] if isinstance(value, Iterable) and not isinstance(value, str) else [str(value)]
    )
    for text in texts:
        named_import(text)
    return tuple(texts)
