"""A table of words on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from acceptance.text.sanitizing import sanitize

WIDTH = 120
"""Columns if there is no terminal."""


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print the table as wide as the terminal, or 120 columns without one; wider for words that need it."""
    terminal, table = Console(highlight=False), _table(heads, rows)
    width = _width(table, terminal.width if terminal.is_terminal else WIDTH)
    Console(highlight=False, width=width).print(table, crop=False)


def table_text(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the table as plain text."""
    table = _table(heads, rows)
    console = Console(highlight=False, width=_width(table, WIDTH), no_color=True)
    with console.capture() as capture:
        console.print(table, crop=False)
    return "\n".join(line.rstrip() for line in capture.get().strip("\n").splitlines() if line.strip())


def _width(table: Table, width: int) -> int:
    """Return a width that breaks no word, because the user types the names next."""
    console = Console(width=10_000)
    return max(width, Measurement.get(console, console.options, table).minimum)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    cells = [[sanitize(cell) for cell in row] for row in rows]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in zip(heads, *cells, strict=True):
        table.add_column(column[0], min_width=max(cell_len(word) for text in column for word in [*text.split(), ""]))
    for row in cells:
        table.add_row(*map(Text, row))
    return table
