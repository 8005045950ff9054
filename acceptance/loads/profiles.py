"""What a profile is: one load file, for a load generator that runs it as it is."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acceptance.loads.extents import Extent
from acceptance.loads.reported import Reported
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage

Program = Literal["fio", "sysbench"]

# What the suite sets when it runs a profile: the file to load, its size in bytes, the seconds of load after the ramp.
VARIABLES = ("FILE", "SIZE", "RUNTIME")
# Taken by the job that writes the test file.
PREFILL = "prefill"
_NAME = re.compile(r"[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One load file. `about` is the comment that it begins with; `ramp_s` the seconds of load before those that count.

    `jobs` are the section names of a fio job file without `global`. `durable` says that writes wait, one after the
    other, until they are on the disk. `own_files` says that it loads files of its own, as large together as the test
    file. `needs_file_system` says that it cannot load a raw block device. `buffered` says that
    writes go through the page cache. `extents` is what its jobs load of the test file. `reported` is None if the load
    reports every metric.
    """

    name: str
    path: Path
    text: str
    about: str
    jobs: tuple[str, ...] = ()
    program: Program = "fio"
    ramp_s: float = 0.0
    durable: bool = False
    own_files: bool = False
    needs_file_system: bool = False
    buffered: bool = False
    extents: tuple[Extent, ...] = ()
    reported: Reported | None = None

    def missing(self, metric: Metric) -> str | None:
        """Return why the load never reports the metric; None if it does."""
        return None if self.reported is None else self.reported.missing(metric)


def read_text(path: Path) -> str:
    """The text of a profile. Raises WrongUsage when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"profile {path}: it cannot be read: {error}") from error


def name_problems(path: Path) -> list[str]:
    """What is wrong with the name of the file: it becomes the name of pods and of files."""
    problems = [] if _NAME.fullmatch(path.stem) else ["the name may hold letters, digits, '-', '_' and '.' only"]
    if path.stem == PREFILL:
        problems.append("the name is taken: the suite writes the test file with a job of that name")
    return problems


def unset_problem(names: Collection[str]) -> str:
    """What is wrong with variables of these names, which no one would set."""
    known = ", ".join(f"${{{name}}}" for name in VARIABLES)
    return f"unset variables: {', '.join(sorted(names))}; the suite sets {known}"


def opening_comment(text: str) -> str:
    """The comment lines that the file begins with, as one text."""
    lines = []
    for line in text.splitlines():
        if not line.startswith(("#", ";")):
            break
        lines.append(line.lstrip("#; ").rstrip())
    return " ".join(lines)
