"""The storage that a run claims, the free storage, and the storage that is used before and after the run."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class PoolRecord(Frozen):
    """The storage that the run was to claim from a class, the free storage before the suite created anything, and the
    used storage before and after."""

    storage_class: str
    claimed: int = Field(description="maximum number of bytes that the run planned to claim at one time")
    free: int | None = Field(description="free bytes in the part that the run claims most of; None: not known")
    used_before: int | None = Field(
        default=None, description="bytes that the pool had used before the run; None: no command reports them"
    )
    used_after: int | None = Field(
        default=None,
        description="bytes that it had used after the run's objects were deleted; None: not known, or they were kept",
    )
    description: str = Field(description="these figures in words, with their source")
