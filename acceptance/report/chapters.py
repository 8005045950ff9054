"""What the chapters of the report are made of: parts that each kind of record declares for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from acceptance.report.parts import Part
from acceptance.results.document import Results

Maker = TypeVar("Maker", bound=Callable[[Results], Iterable[Part]])


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """What makes parts of a chapter, at a place among others that do. `heading`: of a chapter that has such parts."""

    chapter: str
    place: int
    heading: str | None
    make: Callable[[Results], Iterable[Part]]


def in_chapter(chapter: str, *, place: int = 0, heading: str | None = None) -> Callable[[Maker], Maker]:
    """Decorator: the function makes parts of the chapter with that id, after those of a lower `place`.

    `heading`: what stands over the chapter in place of its title where there are such parts.
    """

    def declare(make: Maker) -> Maker:
        _DECLARED.append(_Declared(chapter=chapter, place=place, heading=heading, make=make))
        return make

    return declare


_DECLARED: list[_Declared] = []


def parts_of(results: Results) -> dict[str, list[Part]]:
    """By the id of the chapter; nothing for one that has no parts."""
    found: dict[str, list[Part]] = {}
    for each in sorted(_DECLARED, key=lambda declared: declared.place):
        found.setdefault(each.chapter, []).extend(each.make(results))
    return {chapter: parts for chapter, parts in found.items() if parts}


def headings_of(results: Results) -> dict[str, str]:
    """Those of chapters that have another than their title."""
    return {each.chapter: each.heading for each in _DECLARED if each.heading is not None and [*each.make(results)]}
