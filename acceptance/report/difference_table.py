"""A comparison on the terminal: one table a pair of classes; coloured only where somebody looks."""

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
    JUDGED,
    JUDGED_HEADS,
    NO_HISTORY,
    against,
    judged_rows,
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


def print_comparison(comparison: RunComparison, *, shown: Sequence[Sequence[Difference]], to: TextIO) -> None:
    """Print what was not the same and what changed; `shown` are the differences to print, by pair of classes."""
    console = Console(file=to, width=None if to.isatty() else _WIDE, emoji=False, markup=False, highlight=False)
    for line in _heading(comparison):
        console.print(line)
    for each, some in zip(comparison.classes, shown, strict=True):
        console.print()
        for line in _class_heading(each):
            console.print(line)
        if some:
            console.print(_table(some))
            console.print(against(some))
        if each.judged:
            console.print()
            console.print(JUDGED)
            console.print(_judged(each.judged))
    console.print()
    console.print(summary([one for some in shown for one in some]))
    if told := visible_changes([one for some in shown for one in some]):
        console.print(told)
    console.print(IN_IT if comparison.with_history else NO_HISTORY)


def _judged(judged: Sequence[tuple[Verdict, Verdict]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in JUDGED_HEADS:
        table.add_column(title, overflow="fold")
    for row in judged_rows(judged):
        table.add_row(*row)
    return table


def _heading(comparison: RunComparison) -> Iterator[str]:
    for place, run in (("first", comparison.first), ("second", comparison.second)):
        yield f"{place + ':':8}{run.name}: {describe(run.results)}"
    for unlike in comparison.unlike:
        yield f"{'not the same' if unlike.disturbs else 'also differs'}: {unlike_line(unlike)}"
    for missing in comparison.missing:
        yield f"missing: {missing}"


def _class_heading(each: ClassDifferences) -> Iterator[str]:
    yield each.first_class if each.first_class == each.second_class else f"{each.first_class}, then {each.second_class}"
    for unlike in each.unlike:
        yield f"changed: {unlike_line(unlike)}"
    for missing in each.missing:
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
