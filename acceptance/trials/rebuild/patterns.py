"""The content of the volume when its replica is rebuilt, and the load that runs meanwhile: fio job files next to this
file."""

from __future__ import annotations

from importlib.resources import files

from acceptance.measuring.prefill import SLOWEST_B_PER_S, SPARE_S
from acceptance.results.rebuilds import PATTERNS, Pattern

DATA_JOB = "data"
"""The section of both patterns."""
FOREGROUND_JOB = "foreground"
FOREGROUND_FILE = f"{FOREGROUND_JOB}.fio"
FOREGROUND_SIZE = 16 * 1024**2
"""Bytes of the file that is loaded meanwhile, as its job file says."""

_PIECE_B = 4 * 1024
_SLOWEST_PIECES_PER_S = 128
"""The slowest rate that is still waited for: Ceph on two shared cores wrote 256 a second."""


def longest_writing_s(pattern: Pattern, *, size: int) -> int:
    """Return within how many seconds the pattern must be written to a file of `size` bytes.

    The time of pieces depends on their number: at the slowest, ten times as long by the byte as full data.
    """
    if pattern == "alternating-4k":
        return size // (2 * _PIECE_B) // _SLOWEST_PIECES_PER_S + SPARE_S
    return size // SLOWEST_B_PER_S + SPARE_S


def pattern_file(pattern: Pattern) -> str:
    """Return the name of the pattern's job file."""
    return f"{pattern}.fio"


def job_files() -> dict[str, str]:
    """Return the texts of all job files, by name."""
    names = [*map(pattern_file, PATTERNS), FOREGROUND_FILE]
    return {name: files("acceptance.trials.rebuild").joinpath(name).read_text(encoding="utf-8") for name in names}
