"""The content of the report's chapters: parts that each kind of record declares for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from acceptance.report.parts import Part
from acceptance.results.document import Results

Maker = TypeVar("Maker", bound=Callable[[Results], Iterable[Part]])


@dataclass(frozen=True, kw_only=True)
class _PartSource:
    """A function that makes parts of a chapter, at a place among others that do.

    `heading`: the heading of a chapter that has such parts.
    """

    chapter: str
    place: int
    heading: str | None
    make: Callable[[Results], Iterable[Part]]


def in_chapter(chapter: str, *, place: int = 0, heading: str | None = None) -> Callable[[Maker], Maker]:
    """Declare that the decorated function makes parts of the chapter with that id, after those of a lower `place`.

    `heading`: the heading of the chapter in place of its title if there are such parts.
    """

    def declare(make: Maker) -> Maker:
        _SOURCES.append(_PartSource(chapter=chapter, place=place, heading=heading, make=make))
        return make

    return declare


_SOURCES: list[_PartSource] = []


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """The content of a chapter. `heading`: the text above it in place of its title, if any."""

    parts: list[Part]
    heading: str | None


def chapters(results: Results) -> dict[str, Chapter]:
    """Return the chapters by id; none for a chapter without parts."""
    parts_by_source = [(source, [*source.make(results)]) for source in sorted(_SOURCES, key=lambda entry: entry.place)]
    by_chapter: dict[str, Chapter] = {}
    for source, parts in parts_by_source:
        if parts:
            before = by_chapter.get(source.chapter, Chapter(parts=[], heading=None))
            by_chapter[source.chapter] = Chapter(
                parts=[*before.parts, *parts], heading=before.heading or source.heading
            )
    return by_chapter
