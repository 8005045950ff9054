"""A volume at a share of its capacity, alone and next to others: the models behind `neighbours` in `results.json`.

All frozen; times in s, rates in 1/s. They import no model of the results that holds them.
"""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.under_load import ShareRecord, Span


class NeighbourRecord(Frozen):
    """A load at a share of the capacity, first alone and then while neighbors load as fast as they can."""

    alone: ShareRecord
    beside: ShareRecord
    neighbours: list[float] = Field(description="operations a second of each neighbor meanwhile")


class NeighboursRecord(Frozen):
    """The results of one profile on one volume, alone and next to volumes of its class under the same profile."""

    profile: str
    storage_class: str
    node: str = Field(description="node of the volume and of its neighbors")
    count: int = Field(description="number of neighbors")
    metric: str = Field(description="of the capacity, and of all rates")
    capacity: Span | None = Field(
        description="capacity of the volume alone; shares are of its mean; None if no operation was completed"
    )
    confidence: float = Field(description="of the capacity's interval")
    shares: list[NeighbourRecord]
    test_size: int = Field(description="bytes")
    cache: int | None = Field(default=None, description="bytes that the storage's cache holds, by the target file")
    warnings: list[str] = Field(default=[])
