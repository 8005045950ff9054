"""What is known of the storage beforehand, by the target file."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class Statement(Frozen):
    """What somebody states about a storage, and where."""

    what: str
    source: str


class KnownStorage(Frozen):
    """What the target file states about the storage. No verdict rests on it."""

    about: str | None
    caveats: list[Statement] = Field(description="why its figures mean something else than a reader may expect")
    limits: list[Statement] = Field(description="limits that the storage's own documentation states")
