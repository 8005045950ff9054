"""The comparison for a terminal, as kbench prints it: a line for each profile, candidate and baseline side by side."""

from __future__ import annotations

from io import StringIO

from acceptance.report.comparison import Comparison
from acceptance.report.figures import shown_change_of, shown_mean
from acceptance.report.labels import NO_LIMIT
from acceptance.report.rows import Row
from acceptance.results.document import Status

NARROWEST = 60
"""Columns: the terminal breaks the lines if it has fewer."""
_STYLES: dict[Status, str] = {"pass": "green", "fail": "bold red", "inconclusive": "yellow", "skipped": "dim"}


def terminal_table(comparison: Comparison, *, width: int, in_color: bool) -> str:
    """Return the comparison of one candidate class in lines no longer than `width` columns, from 60 on.

    Columns are aligned even if characters are two columns wide. Without `in_color` the table is plain text.
    """
    from rich.console import Console  # only if a table is drawn: the suite must start fast
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("profile"), overflow="fold")
    for name in ("candidate", "baseline", "change"):
        table.add_column(Text(name), justify="right", no_wrap=True)
    table.add_column(Text("verdict"), overflow="fold")
    for title, rows in comparison.groups.items():
        table.add_row(Text(title, style="bold"))
        for row in rows:
            cells = (shown_mean(row.candidate), shown_mean(row.baseline), shown_change_of(row.change, row.metric))
            table.add_row(Text("  " + _name(row, rows)), *map(Text, cells), Text(_verdict(row), _STYLES[row.status]))
    lines = StringIO()
    console = Console(
        file=lines,
        width=max(width, NARROWEST),
        force_terminal=in_color,
        color_system="standard" if in_color else None,
        no_color=not in_color,
    )
    console.print(Text(_title(comparison), style="bold"))
    console.print(table)
    return "\n".join(line.rstrip() for line in lines.getvalue().splitlines())


def _verdict(row: Row) -> str:
    """Return the status in words; the figure is next to it, and 80 columns have no room for `measured, no limit`."""
    return "no limit" if row.verdict == NO_LIMIT else row.verdict


def _title(comparison: Comparison) -> str:
    beside = "" if comparison.baseline is None else f", baseline {comparison.baseline}"
    return f"candidate {comparison.candidate}{beside}"


def _name(row: Row, rows: list[Row]) -> str:
    """Return the profile, with the metric if the profile has several rows."""
    several = sum(other_row.profile == row.profile for other_row in rows) > 1
    return f"{row.profile} {row.metric}" if several else row.profile
