"""Where a command may write a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.checksums import RAW
from acceptance.results.file import NAME as RESULTS
from acceptance.text.errors import WrongUsage


def keep_the_runs_own(output: Path, runs: Iterable[Path]) -> None:
    """Raise WrongUsage where a page would replace what a run wrote, this one or any other: none can be made again.

    A run's folder is known by its results or its checksums. Further pages may lie there, and be written anew; its
    report may not, for it holds the rows of its tests. `runs` are the results or run folders that the page is made of.
    """
    folder = output.parent.resolve()
    of_a_run = _holds_a_run(folder) or (folder.name == RAW and _holds_a_run(folder.parent))
    further = output.suffix == ".html" and output.name != "report.html"
    read = output.resolve() in {path.resolve() for path in runs}
    if output.exists() and (read or (of_a_run and not further)):
        raise WrongUsage(f"{output} is the run's own file, which cannot be made again; name another file with -o")


def _holds_a_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in (RESULTS, CHECKSUMS))
