"""Known facts about the storage, from the target file."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class Statement(Frozen):
    """A statement about a storage, and its source."""

    what: str
    source: str


class KnownStorage(Frozen):
    """Statements of the target file about the storage. No verdict rests on them."""

    about: str | None
    caveats: list[Statement] = Field(description="why its figures may mean something other than readers expect")
    limits: list[Statement] = Field(description="limits that the storage's own documentation states")
