"""The places where a command may write a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.checksums import RAW
from acceptance.results.file import NAME as RESULTS
from acceptance.text.errors import WrongUsage


def keep_the_runs_own(output: Path, runs: Iterable[Path]) -> None:
    """Raise WrongUsage if a page would replace a file that this or any other run wrote: none can be created again.

    A run's folder is recognized by its results or its checksums. Further pages may be in it, and may be replaced; its
    report may not, because it holds the rows of its tests. `runs`: the results or run folders that the page shows.
    """
    folder = output.parent.resolve()
    of_a_run = _holds_a_run(folder) or (folder.name == RAW and _holds_a_run(folder.parent))
    is_further_page = output.suffix == ".html" and output.name != "report.html"
    is_input = output.resolve() in {path.resolve() for path in runs}
    if output.exists() and (is_input or (of_a_run and not is_further_page)):
        raise WrongUsage(f"{output} is the run's own file, which cannot be created again; name another file with -o")


def _holds_a_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in (RESULTS, CHECKSUMS))
