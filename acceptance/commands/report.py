"""`report`: renders results again without a cluster, several side by side, and verifies that none was changed."""

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
    report = commands.add_parser("report", help="render results again, several side by side; or verify them")
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
        help="JUnit file of another tool, shown with one run's results; the run's folder is not changed; repeatable",
    )
    report.add_argument(
        "--verify",
        type=Path,
        metavar="FOLDER",
        help=f"check whether a run's folder matches its {CHECKSUMS}; writes no report",
    )
    report.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> int:
    if options.verify is not None and not options.results:
        return verify(options.verify)
    if options.verify is not None or not options.results:
        raise WrongUsage("expected results to render, or --verify FOLDER, found both or none; give one of them")
    if options.imports and len(options.results) > 1:
        raise WrongUsage("expected one run with --import, found several; create a report of each")
    imports = all_imports(_parse_imports(options.imports), added_to="report")
    keep_the_runs_own(options.output, options.results)
    with refused_where_unusable(*options.results):
        write_whole(options.output, _page(options.results, imports))
    print(f"report: {options.output}")
    return 0


def _parse_imports(texts: Sequence[str]) -> list[tuple[Path, str]]:
    try:
        return [named_import(text) for text in texts]
    except ValueError as error:
        raise WrongUsage(f"--import: {error}; name a file that exists") from error


def _page(paths: Sequence[Path], imports: Sequence[ImportRecord]) -> str:
    from acceptance.report.comparing.naming import name_runs
    from acceptance.report.page import foot_of, page
    from acceptance.report.side_by_side import render_side_by_side
    from acceptance.report.summary import (
        render_summary,  # here: the pictures are slow to load, and --verify does without
    )

    runs = [read_results(path) for path in paths]
    if len(runs) == 1:
        file = paths[0] / RESULTS if paths[0].is_dir() else paths[0]
        runs[0] = runs[0].model_copy(update={"imports": [*runs[0].imports, *imports]})
        body = Markup(render_summary(runs[0], digest=digest_of(file)))
        return page(title="Storage acceptance", body=body, foot=foot_of(runs[0]))
    return page(title="Storage acceptance: runs side by side", body=render_side_by_side(name_runs(runs)))
