"""`compare`: shows what changed from one run to another, with its interval, and which changes are within noise."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.commands.named_history import named_history
from acceptance.commands.output import keep_the_runs_own
from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.process.whole_file import write_whole
from acceptance.report.comparing.differences import compare_runs
from acceptance.report.comparing.model import ClassDifferences, Difference, RunComparison
from acceptance.report.comparing.naming import name_runs
from acceptance.results.file import read_results
from acceptance.results.history_file import History


def add_compare(commands: Commands) -> None:
    """Add the command to the command line."""
    compare = commands.add_parser("compare", help="show what changed from one run to another, and what is within noise")
    for name, words in (("first", "before"), ("second", "after")):
        compare.add_argument(
            name, type=Path, metavar=name.upper(), help=f"results.json or run folder of the run {words}"
        )
    compare.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write a page with charts")
    compare.add_argument("--all", action="store_true", help="all metrics, not only the main ones of each profile")
    compare.add_argument(
        "--classes",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="compare this class of the first run with that of the second",
    )
    compare.add_argument(
        "--absolute", action="store_true", help="compare the values themselves, even if both runs have a baseline"
    )
    compare.add_argument(
        "--history",
        type=Path,
        metavar="HISTORY",
        help=(
            "as given to --storage-history: it shows how much runs differ if nothing was changed; without it no "
            "change is called better or worse"
        ),
    )
    compare.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> int:
    with refused_where_unusable(options.first, options.second):
        return _report_differences(options)


def _report_differences(options: argparse.Namespace) -> int:
    # Imported here: the modules that draw are slow to load, and other commands do not need them.
    from acceptance.report.difference_page import render_comparison
    from acceptance.report.difference_table import print_comparison
    from acceptance.report.page import page

    if options.output is not None:
        keep_the_runs_own(options.output, (options.first, options.second))
    first, second = name_runs([read_results(options.first), read_results(options.second)])
    comparison = compare_runs(
        first,
        second,
        history=named_history(options.history) if options.history else History(path=Path()),
        classes=tuple(options.classes) if options.classes else None,
        absolute=options.absolute,
    )
    differences = [
        _differences_to_report(comparison, class_differences, all_metrics=options.all)
        for class_differences in comparison.classes
    ]
    print_comparison(comparison, selection=differences, to=sys.stdout)
    if options.output is not None:
        body = render_comparison(comparison, selection=differences)
        write_whole(options.output, page(title="Storage acceptance: before and after", body=body))
        print(f"page: {options.output}")
    return 0


def _differences_to_report(
    comparison: RunComparison, class_differences: ClassDifferences, *, all_metrics: bool
) -> Sequence[Difference]:
    """Return the differences of the main metrics of either run, whose tiers may have different limits; or all."""
    from acceptance.report.main_figures import main_figures

    if all_metrics:
        return class_differences.differences
    main = main_figures(comparison.first.results, class_differences.first_class)
    main |= main_figures(comparison.second.results, class_differences.second_class)
    return [
        difference for difference in class_differences.differences if (difference.profile, difference.metric) in main
    ]
