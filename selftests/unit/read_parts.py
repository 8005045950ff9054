"""What is in the parts of a chapter: its tables, sentences and pictures."""

from __future__ import annotations

from collections.abc import Iterable

from acceptance.report.parts import Part, Table
from acceptance.report.picture import Picture


def tables_of(*parts: Part) -> list[list[dict[str, str]]]:
    """The rows of each table that has columns, each cell by the title of its column."""
    tables = [table for table in _found(parts, Table) if table.columns]
    titles = [[column.title for column in table.columns] for table in tables]
    return [
        [dict(zip(heads, row, strict=True)) for row in table.rows] for heads, table in zip(titles, tables, strict=True)
    ]


def sentences_of(*parts: Part) -> list[str]:
    """Those that are shown as lists, and paragraphs."""
    lines = ([block] if isinstance(block, str) else block for block in _found(parts, (str, list)))
    return [line for some in lines for line in some]


def pictures_of(*parts: Part) -> list[Picture]:
    """Those that could be drawn."""
    return _found(parts, Picture)


def _found(parts: Iterable[Part], kind: type | tuple[type, ...]) -> list:  # type: ignore[type-arg]
    """Also what is in folded parts."""
    blocks = [block for part in parts for block in part.blocks]
    folded = [each for each in blocks if isinstance(each, Part)]
    inner = _found(folded, kind) if folded else []
    return [*(each for each in blocks if isinstance(each, kind)), *inner]
