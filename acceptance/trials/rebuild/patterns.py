"""What the volume holds when its replica is rebuilt, and the load that goes on meanwhile: fio job files beside this."""

from __future__ import annotations

from importlib.resources import files

from acceptance.results.rebuilds import PATTERNS, Pattern

DATA_JOB = "data"
"""the section of both patterns"""
FOREGROUND_JOB = "foreground"
FOREGROUND_FILE = f"{FOREGROUND_JOB}.fio"
FOREGROUND_SIZE = 16 * 1024**2
"""of the file that is loaded meanwhile, in bytes, as its job file says"""


def pattern_file(pattern: Pattern) -> str:
    """The name of the pattern's job file."""
    return f"{pattern}.fio"


def job_files() -> dict[str, str]:
    """The texts of all job files, by name."""
    names = [*map(pattern_file, PATTERNS), FOREGROUND_FILE]
    return {name: files("acceptance.trials.rebuild").joinpath(name).read_text(encoding="utf-8") for name in names}
