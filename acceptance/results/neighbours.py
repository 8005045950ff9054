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
    neighbours: list[float] = Field(description="operations a second of each neighbour meanwhile")


class NeighboursRecord(Frozen):
    """The results of one profile on one volume, alone and next to volumes of its class under the same profile."""

    profile: str
    storage_class: str
    node: str = Field(description="of the volume, and of its neighbours")
    count: int = Field(description="how many neighbours there were")
    metric: str = Field(description="of the capacity, and of all rates")
    capacity: Span | None = Field(
        description="of the volume alone, shares are of its mean; None where nothing was done"
    )
    confidence: float = Field(description="of the capacity's interval")
    shares: list[NeighbourRecord]
    test_size: int = Field(description="bytes")
    cache: int | None = Field(default=None, description="bytes that the storage's cache holds, by the target file")
    warnings: list[str] = Field(default=[])
