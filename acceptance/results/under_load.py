"""Latency at shares of a volume's capacity: the models behind `under_load` in `results.json`. All frozen; times in s,
rates in 1/s.

They import no other model of the results, so that those can hold them.
"""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.scaling import Figure


class Span(Frozen):
    """A value with its interval. `low` and `high` are None if there are too few seconds or operations for it."""

    mean: float
    low: float | None
    high: float | None


class ShareRecord(Frozen):
    """A load at a share of the capacity."""

    share: float = Field(description="share of the capacity, as a ratio")
    asked: int = Field(description="operations a second that fio's rate limit allowed")
    reached: Figure = Field(
        description="the share of the requested operations that were done; low: the share minus what the backlog may "
        "vary by; high: the upper bound from its batches"
    )
    latencies: dict[str, Span] = Field(description="by metric")
    confidence: float = Field(description="confidence of all two-sided intervals in this record")
    duration_s: float
    warnings: list[str] = Field(default=[])


class UnderLoadRecord(Frozen):
    """The results of one profile on one volume, at shares of its capacity."""

    profile: str
    storage_class: str
    node: str
    metric: str = Field(description="of the capacity, and of all rates")
    capacity: Span | None = Field(description="at the queue depth of the profile; None if no operation was completed")
    sure: float = Field(description="the certain part of the capacity: shares are of this")
    confidence: float = Field(description="of the capacity's interval")
    at_capacity: dict[str, Span] = Field(description="latencies while it did that, by metric")
    shares: list[ShareRecord]
    test_size: int = Field(description="bytes")
    cache: int | None = Field(default=None, description="bytes that the storage's cache holds, by the target file")
    warnings: list[str] = Field(default=[])
