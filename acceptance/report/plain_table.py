"""A table of words on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from acceptance.text.sanitizing import sanitize


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print it as wide as the terminal is, or 120 columns where there is none."""
    terminal = Console(highlight=False)
    (terminal if terminal.is_terminal else Console(highlight=False, width=120)).print(_table(heads, rows))


def table_text(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same as plain text."""
    console = Console(highlight=False, width=120, no_color=True)
    with console.capture() as captured:
        console.print(_table(heads, rows))
    return "\n".join(line.rstrip() for line in captured.get().strip("\n").splitlines() if line.strip())


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(*heads, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(sanitize(cell)) for cell in row))
    return table
