"""Directories as StorageClasses: the check of one, and the search for duplicates."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from itertools import combinations

# fio reads ':' in a file's name as the end of one file, '#' and ';' as a comment, '$' as a variable: it would then load
# a file outside of the directory.
_LITERAL = re.compile(r"[\w/.,@%+=~ -]+")


def directory(value: str) -> str:
    """Return the absolute path of a directory that can be loaded, as the user spells it.

    Raises ValueError if there is no such directory, if the user may not write to it, or if fio would misread its path.
    """
    rule = "expected a directory of this host (--storage-cluster host)"
    path = os.path.abspath(os.path.expanduser(value))
    try:
        there_is = "it is not a directory" if not stat.S_ISDIR(os.stat(value and path).st_mode) else ""
    except (OSError, ValueError) as error:
        there_is = getattr(error, "strerror", None) or str(error)
    if there_is:
        raise ValueError(f"{rule}, found {value!r}: {there_is}; name one that the storage is mounted on")
    if not _LITERAL.fullmatch(path):
        raise ValueError(
            f"{rule}, with a path of letters, digits, spaces and any of /.,@%+=~_- (others have a meaning to fio), "
            f"found {path!r}; mount or link it elsewhere"
        )
    if not os.access(path, os.W_OK | os.X_OK):
        raise ValueError(f"this user may not write to directory {path}; run as another user, or name another one")
    return path


def same_directories(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of paths that lead to the same directory, by a link or a mount."""
    return [(path, twin) for path, twin in combinations(paths, 2) if path != twin and os.path.samefile(path, twin)]
