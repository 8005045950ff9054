"""How soon many files must be made, found and deleted, and pods start on them: the section `many_files` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from acceptance.limits.values import Entry, TimeLimit
from acceptance.results.many_files import DONE, FILE_OPERATIONS, FileOperation
from acceptance.text.quantities import format_quantity

PROFILE = "many-files"
"""Under this name verdicts on many files stand where others have the profile that was run."""
FILES = 100_000
"""that a limit is about where its section does not say how many"""
StartAspect = Literal["start", "start_growth", "other_group"]
START_ASPECTS: tuple[StartAspect, ...] = get_args(StartAspect)
STARTED: dict[StartAspect, str] = {
    "start": "slowest pod ready on them",
    "start_growth": "pod ready on them, beyond its time on an empty volume",
    "other_group": "slowest pod with another fsGroup ready on them",
}
_WORDS = (*DONE.items(), *STARTED.items())


@dataclass(frozen=True, kw_only=True)
class ManyFilesLimit:
    """One requirement: the most time (s) that `files` files may take for an operation, or for a pod to start."""

    aspect: FileOperation | StartAspect
    files: int
    at_most: float
    because: str

    @property
    def profile(self) -> str:
        """No profile is run."""
        return PROFILE

    @property
    def metric(self) -> str:
        """`create`, or `start_growth`"""
        return self.aspect

    @property
    def kind(self) -> Literal["at_most"]:
        """On which side of the limit what is measured must be."""
        return "at_most"

    @property
    def of_starts(self) -> bool:
        """Whether it is about pods, not about files."""
        return self.aspect in START_ASPECTS

    @property
    def wanted(self) -> str:
        """`at most 150 s`"""
        return f"at most {format_quantity(self.at_most, unit='s')}"

    def describe(self) -> str:
        """`100,000 files created: at most 10 min`"""
        words = next(words for aspect, words in _WORDS if aspect == self.aspect)
        return f"{self.files:,} files{',' if self.of_starts else ''} {words}: {self.wanted}"


class ManyFilesEntry(Entry):
    """`{files: 100000, create: {at_most: 10min, because: ...}}`; `files` is how many all limits of it are about."""

    files: Annotated[int, Field(ge=1, le=99_999_999)] = FILES
    create: TimeLimit | None = None
    list: TimeLimit | None = None
    stat: TimeLimit | None = None
    delete: TimeLimit | None = None
    start: TimeLimit | None = None
    start_growth: TimeLimit | None = None
    other_group: TimeLimit | None = None
    some_of: ClassVar[tuple[str, ...]] = (*FILE_OPERATIONS, *START_ASPECTS)

    def limits(self) -> Iterator[ManyFilesLimit]:
        """As plain limits, operations first."""
        for aspect in (*FILE_OPERATIONS, *START_ASPECTS):
            limit: TimeLimit | None = getattr(self, aspect)
            if limit is not None:
                yield ManyFilesLimit(aspect=aspect, files=self.files, at_most=limit.at_most, because=limit.because)
