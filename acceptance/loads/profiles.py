"""A profile: one load file, for a load generator that runs it unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acceptance.loads.extents import Extent
from acceptance.loads.reported import ReportedMetrics
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
    """One load file. `about` is the comment at its beginning; `ramp_s` the seconds of load before those that count.

    `jobs` are the section names of a fio job file without `global`. `durable`: each write waits until it is on the
    disk before the next begins. `own_files`: the profile loads its own files, which are together as large as the test
    file. `needs_file_system`: it cannot load a raw block device. `is_buffered`: writes go through the page cache.
    `extents` is the part of the test file that its jobs load. `reported_metrics` is None if the load reports every
    metric.
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
    is_buffered: bool = False
    extents: tuple[Extent, ...] = ()
    reported_metrics: ReportedMetrics | None = None

    def missing(self, metric: Metric) -> str | None:
        """Return why the load never reports the metric; None if it does."""
        return None if self.reported_metrics is None else self.reported_metrics.missing(metric)


def read_text(path: Path) -> str:
    """Return the text of a profile. Raises WrongUsage if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"profile {path}: it cannot be read: {error}") from error


def name_problems(path: Path) -> list[str]:
    """Return the problems of the file's name, which becomes the name of pods and of files."""
    problems = [] if _NAME.fullmatch(path.stem) else ["the name may hold letters, digits, '-', '_' and '.' only"]
    if path.stem == PREFILL:
        problems.append("the name is taken: the suite writes the test file with a job of that name")
    return problems


def unset_problem(names: Collection[str]) -> str:
    """Return the problem with variables of these names, which nothing would set."""
    available = ", ".join(f"${{{name}}}" for name in VARIABLES)
    return f"unset variables: {', '.join(sorted(names))}; the suite sets {available}"


def opening_comment(text: str) -> str:
    """Return the comment lines at the beginning of the file, as one text."""
    lines = []
    for line in text.splitlines():
        if not line.startswith(("#", ";")):
            break
        lines.append(line.lstrip("#; ").rstrip())
    return " ".join(lines)
