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
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    table = Table(*heads, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(sanitize(cell)) for cell in row))
    console.print(table)
