"""A comparison on the terminal: one table for each pair of classes; in color only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from acceptance.report.comparing.model import ClassDifferences, Difference, Finding, RunComparison
from acceptance.report.comparing.naming import describe
from acceptance.report.difference_wording import (
    IN_IT,
    NO_HISTORY,
    OTHER_FIGURE_HEADS,
    OTHER_FIGURES,
    against,
    other_figure_rows,
    shown_change,
    shown_change_interval,
    shown_multiples,
    shown_visible,
    summary,
    unlike_line,
    visible_changes,
)
from acceptance.report.figures import shown_value
from acceptance.results.document import Verdict

_WIDE = 400  # a pipe has no width, and a table that is wrapped cannot be searched
_STYLES: dict[Finding, str] = {"better": "green", "worse": "red", "within noise": "", "not known": "dim"}


def print_comparison(comparison: RunComparison, *, selection: Sequence[Sequence[Difference]], to: TextIO) -> None:
    """Print the differing facts and the changes; `selection`: the differences to print, by pair of classes."""
    console = Console(file=to, width=None if to.isatty() else _WIDE, emoji=False, markup=False, highlight=False)
    for line in _heading(comparison):
        console.print(line)
    for pair, pair_differences in zip(comparison.classes, selection, strict=True):
        console.print()
        for line in _class_heading(pair):
            console.print(line)
        if pair_differences:
            console.print(_table(pair_differences))
            console.print(against(pair_differences))
        if pair.verdict_pairs:
            console.print()
            console.print(OTHER_FIGURES)
            console.print(_other_figures(pair.verdict_pairs))
    console.print()
    console.print(summary([difference for pair_differences in selection for difference in pair_differences]))
    if visibility := visible_changes([difference for pair_differences in selection for difference in pair_differences]):
        console.print(visibility)
    console.print(IN_IT if comparison.with_history else NO_HISTORY)


def _other_figures(verdict_pairs: Sequence[tuple[Verdict, Verdict]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in OTHER_FIGURE_HEADS:
        table.add_column(title, overflow="fold")
    for row in other_figure_rows(verdict_pairs):
        table.add_row(*row)
    return table


def _heading(comparison: RunComparison) -> Iterator[str]:
    for place, run in (("first", comparison.first), ("second", comparison.second)):
        yield f"{place + ':':8}{run.name}: {describe(run.results)}"
    for unlike in comparison.unlike:
        yield f"{'not the same' if unlike.disturbs else 'also differs'}: {unlike_line(unlike)}"
    for missing in comparison.missing:
        yield f"missing: {missing}"


def _class_heading(pair: ClassDifferences) -> Iterator[str]:
    yield pair.first_class if pair.first_class == pair.second_class else f"{pair.first_class}, then {pair.second_class}"
    for unlike in pair.unlike:
        yield f"changed: {unlike_line(unlike)}"
    for missing in pair.missing:
        yield f"missing: {missing}"


def _table(differences: Sequence[Difference]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("Profile", "Metric"):
        table.add_column(title, overflow="fold")
    with_baseline = any(difference.multiples for difference in differences)
    beside = ["Of the baseline"] if with_baseline else []
    for title in ("First", "Second", *beside, "Change", "Interval", "Smallest visible"):
        table.add_column(title, justify="right")
    table.add_column("Finding")
    for difference in differences:
        finding = f"{difference.finding}{f': {difference.why_not}' if difference.why_not else ''}"
        table.add_row(
            difference.profile,
            difference.metric,
            shown_value(difference.first, difference.metric),
            shown_value(difference.second, difference.metric),
            *([shown_multiples(difference)] if with_baseline else []),
            shown_change(difference),
            shown_change_interval(difference),
            shown_visible(difference),
            Text(finding, style=_STYLES[difference.finding]),
        )
    return table
