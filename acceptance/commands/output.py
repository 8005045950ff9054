"""Where a command may write a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acceptance.errors import WrongUsage
from acceptance.results_file import NAME as RESULTS


def keep_the_runs_own(output: Path, runs: Iterable[Path]) -> None:
    """Raise WrongUsage where a page would replace what a run wrote: its report holds the rows of its tests.

    `runs` are the results or run folders that the page is made of.
    """
    folders = {(path if path.is_dir() else path.parent).resolve() for path in runs}
    if output.name in ("report.html", RESULTS) and output.parent.resolve() in folders and output.exists():
        raise WrongUsage(f"{output} is the run's own, which cannot be made again; name another file with -o")
