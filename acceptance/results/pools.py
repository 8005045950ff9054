"""The storage that a run claims, and the free storage."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class PoolRecord(Frozen):
    """The storage that the run was to claim from a class, and the free storage, before the suite created anything."""

    storage_class: str
    claimed: int = Field(description="maximum number of bytes that the run planned to claim at one time")
    free: int | None = Field(description="free bytes in the part that the run claims most of; None: not known")
    description: str = Field(description="both figures in words, with their source")
