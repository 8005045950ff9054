"""`--storage-import FILE[:NAME]`: files of other tools, and their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

ImportedFailures = Literal["show", "fail"]
"""The effect of a failure in such a file: it is reported, or it also fails the run."""


def named_import(text: str) -> tuple[Path, str]:
    """Return the file and its name, which is empty if none was given; a file with a colon in its name is one file.

    Raises ValueError if there is no such file.
    """
    path, _, name = text.rpartition(":")
    for file_name, import_name in ((text, ""), (path, name.strip())):
        if file_name and Path(file_name).expanduser().is_file():
            return Path(file_name).expanduser(), import_name
    raise ValueError(f"expected a JUnit file as FILE or FILE:NAME, found {text!r}, and there is no such file")


def named_imports(value: object) -> tuple[str, ...]:
    """Return all imports, as they were written. Raises ValueError for the first that is no file."""
    texts = (
        [str(entry) for entry in value] if isinstance(value, Iterable) and not isinstance(value, str) else [str(value)]
    )
    for text in texts:
        named_import(text)
    return tuple(texts)
