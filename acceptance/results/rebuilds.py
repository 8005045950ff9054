"""What rebuilds found: the models behind `rebuilds` in `results.json`. All frozen; times in s, sizes in bytes.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.scaling import Figure

Pattern = Literal["full-data", "alternating-4k"]
"""what the volume holds when its replica is rebuilt"""
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


class RatePoint(Frozen):
    """How fast data was rebuilt between two looks at the driver's progress."""

    from_s: float = Field(description="since the rebuild was triggered")
    to_s: float
    rate: float = Field(description="B/s")


class TimedRebuild(Frozen):
    """One rebuild of one replica."""

    triggered: datetime
    started: datetime = Field(
        description="when it was first seen to go on; where it never was, when the trigger was done"
    )
    finished: datetime = Field(description="when all replicas were first seen to be whole")
    seconds: float = Field(description="from started to finished")
    uncertainty_s: float = Field(
        description="so far it may be off: between the looks around its beginning and its end, and at each of them how "
        "old what the driver told may have been; all of it where it was never seen to go on"
    )
    trigger: str = Field(description="what was done to make it necessary")
    failures: list[str] = Field(
        default=[], description="what the storage said of each try that failed and that it made anew; in the time"
    )
    rates: list[RatePoint] = Field(description="empty where the driver does not tell progress")

    @property
    def waited_s(self) -> float:
        """From the trigger until it was seen to go on."""
        return (self.started - self.triggered).total_seconds()


class LoadPoint(Frozen):
    """What the foreground load did in a stretch of time."""

    at_s: float = Field(description="its end, since the first rebuild began; below zero before it")
    iops: float


class ForegroundRecord(Frozen):
    """Synchronous writes before the rebuilds and during them; None where nothing is known of it."""

    iops_before: Figure
    iops_during: Figure
    p99_before_s: Figure | None
    p99_during_s: Figure | None
    batch_s: int = Field(description="length of the stretches from which the intervals come")
    points: list[LoadPoint]


class SmallerRebuild(Frozen):
    """The rebuilds of a volume of the same class and pattern that held less data."""

    size: int
    rebuilds: list[TimedRebuild]


class RebuildRecord(Frozen):
    """One data pattern on a volume of one class, and the rebuild of one of its replicas, once or several times."""

    storage_class: str
    pattern: Pattern
    driver: str
    size: int = Field(description="of what was rebuilt: of the file with the pattern, holes included")
    snapshots: int = Field(description="that the largest volume may have, the head included")
    time_limit_s: float
    confidence: float = Field(description="of all two-sided intervals in this record")
    volume: str
    node: str = Field(description="from which the volume was loaded meanwhile")
    rebuilds: list[TimedRebuild]
    smaller: SmallerRebuild | None = Field(
        default=None,
        description="from whose time and that of `rebuilds` other sizes are projected; None where one size was timed, "
        "and all of its time is taken to grow with the data",
    )
    largest_volume: Figure = Field(
        description="bytes that can be rebuilt in the time limit; its batches are those of each rebuild, none where "
        "two sizes were timed; high is None where they set no bound"
    )
    foreground: ForegroundRecord | None
    foreground_missing: str | None = Field(description="why nothing is known of the foreground, where that is so")
    settings: dict[str, str] = Field(description="of the storage, that influence how long it takes")
    resolution_s: float = Field(default=0.0, description="how old what the driver tells may be")
    warnings: list[str]

    @property
    def seconds(self) -> float:
        """The mean over the rebuilds."""
        return sum(each.seconds for each in self.rebuilds) / len(self.rebuilds)
