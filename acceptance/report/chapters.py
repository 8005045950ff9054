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


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What a chapter is made of. `heading`: what stands over it in place of its title, if anything does."""

    parts: list[Part]
    heading: str | None


def chapters(results: Results) -> dict[str, Chapter]:
    """By id; nothing for a chapter that has no parts."""
    made = [(each, [*each.make(results)]) for each in sorted(_DECLARED, key=lambda declared: declared.place)]
    found: dict[str, Chapter] = {}
    for each, parts in made:
        if parts:
            before = found.get(each.chapter, Chapter(parts=[], heading=None))
            found[each.chapter] = Chapter(parts=[*before.parts, *parts], heading=before.heading or each.heading)
    return found
