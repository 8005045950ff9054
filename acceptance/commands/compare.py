"""`compare`: what changed from one run to another, with its interval, and what of it is within noise."""

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
    compare = commands.add_parser("compare", help="what changed from one run to another, and what is within noise")
    for name, words in (("first", "before"), ("second", "after")):
        compare.add_argument(
            name, type=Path, metavar=name.upper(), help=f"results.json or run folder of the run {words}"
        )
    compare.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a page with pictures too")
    compare.add_argument("--all", action="store_true", help="all metrics, not only the main ones of each profile")
    compare.add_argument(
        "--classes",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="compare this class of the first run with that of the second",
    )
    compare.add_argument(
        "--absolute", action="store_true", help="compare the values themselves, even where both runs have a baseline"
    )
    compare.add_argument(
        "--history",
        type=Path,
        metavar="HISTORY",
        help=(
            "as given to --storage-history: how much runs differ when nothing was changed; without it nothing "
            "is called better or worse"
        ),
    )
    compare.set_defaults(command=_compare)


def _compare(chosen: argparse.Namespace) -> int:
    with refused_where_unusable(chosen.first, chosen.second):
        return _compared(chosen)


def _compared(chosen: argparse.Namespace) -> int:
    # Here: what draws is slow to load, and other commands do without.
    from acceptance.report.difference_page import render_comparison
    from acceptance.report.difference_table import print_comparison
    from acceptance.report.page import page

    if chosen.output is not None:
        keep_the_runs_own(chosen.output, (chosen.first, chosen.second))
    first, second = name_runs([read_results(chosen.first), read_results(chosen.second)])
    comparison = compare_runs(
        first,
        second,
        history=named_history(chosen.history) if chosen.history else History(path=Path()),
        classes=tuple(chosen.classes) if chosen.classes else None,
        absolute=chosen.absolute,
    )
    shown = [_shown(comparison, storage_class, everything=chosen.all) for storage_class in comparison.classes]
    print_comparison(comparison, shown=shown, to=sys.stdout)
    if chosen.output is not None:
        body = render_comparison(comparison, shown=shown)
        write_whole(chosen.output, page(title="Storage acceptance: before and after", body=body))
        print(f"page: {chosen.output}")
    return 0


def _shown(comparison: RunComparison, each: ClassDifferences, *, everything: bool) -> Sequence[Difference]:
    """What each profile is about in either run, whose tiers may ask for different things; or all."""
    from acceptance.report.main_figures import main_figures

    if everything:
        return each.differences
    main = main_figures(comparison.first.results, each.first_class)
    main |= main_figures(comparison.second.results, each.second_class)
    return [difference for difference in each.differences if (difference.profile, difference.metric) in main]
