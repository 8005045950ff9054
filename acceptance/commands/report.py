"""`report`: renders results again without a cluster, several beside each other, and verifies that none was changed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from acceptance.commands.command import Commands
from acceptance.commands.output import keep_the_runs_own
from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.commands.verifying import verify
from acceptance.process.whole_file import write_whole
from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.checksums import digest_of
from acceptance.results.file import NAME as RESULTS
from acceptance.results.file import read_results
from acceptance.results.importing import all_imports
from acceptance.results.imports import ImportRecord
from acceptance.settings.imports import named_import
from acceptance.text.errors import WrongUsage

DEFAULT = Path("storage-report.html")


def add_report(commands: Commands) -> None:
    """Add the command to the command line."""
    report = commands.add_parser("report", help="render results again, several beside each other; verify them")
    report.add_argument(
        "results", type=Path, nargs="*", metavar="RESULTS", help="results.json or run folder; several: side by side"
    )
    report.add_argument("-o", "--output", type=Path, metavar="FILE", default=DEFAULT, help=f"default: {DEFAULT}")
    report.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="FILE[:NAME]",
        help="JUnit file of another tool, shown with one run's results; the run's folder stays as it is; repeatable",
    )
    report.add_argument(
        "--verify",
        type=Path,
        metavar="FOLDER",
        help=f"check whether a run's folder is as its {CHECKSUMS} says; no report",
    )
    report.set_defaults(command=_report)


def _report(chosen: argparse.Namespace) -> int:
    if chosen.verify is not None and not chosen.results:
        return verify(chosen.verify)
    if chosen.verify is not None or not chosen.results:
        raise WrongUsage("wanted results to render, or --verify FOLDER, found both or none; say one of them")
    if chosen.imports and len(chosen.results) > 1:
        raise WrongUsage("wanted one run to show beside --import, found several; make a report of each")
    imports = all_imports(_named(chosen.imports), added="report")
    keep_the_runs_own(chosen.output, chosen.results)
    with refused_where_unusable(*chosen.results):
        write_whole(chosen.output, _page(chosen.results, imports))
    print(f"report: {chosen.output}")
    return 0


def _named(texts: Sequence[str]) -> list[tuple[Path, str]]:
    try:
        return [named_import(text) for text in texts]
    except ValueError as error:
        raise WrongUsage(f"--import: {error}; name a file that is there") from error


def _page(paths: Sequence[Path], imports: Sequence[ImportRecord]) -> str:
    from acceptance.report.comparing.naming import name_runs
    from acceptance.report.page import foot_of, page
    from acceptance.report.side_by_side import render_side_by_side
    from acceptance.report.summary import (
        render_summary,  # here: the pictures are slow to load, and --verify does without
    )

    found = [read_results(path) for path in paths]
    if len(found) == 1:
        file = paths[0] / RESULTS if paths[0].is_dir() else paths[0]
        found[0] = found[0].model_copy(update={"imports": [*found[0].imports, *imports]})
        body = Markup(render_summary(found[0], digest=digest_of(file)))
        return page(title="Storage acceptance", body=body, foot=foot_of(found[0]))
    return page(title="Storage acceptance: runs side by side", body=render_side_by_side(name_runs(found)))
