"""Records of rebuilds: the models behind `rebuilds` in `results.json`. All frozen; times in s, sizes in bytes.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.scaling import Figure

Pattern = Literal["full-data", "alternating-4k"]
"""The content of the volume when its replica is rebuilt."""
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


class RatePoint(Frozen):
    """The rate of a rebuild between two polls of the driver's progress."""

    from_s: float = Field(description="seconds since the suite triggered the rebuild")
    to_s: float
    rate: float = Field(description="B/s")


class TimedRebuild(Frozen):
    """One rebuild of one replica."""

    triggered: datetime
    started: datetime = Field(
        description="when the driver first reported the rebuild; if it never did, when the trigger was done"
    )
    finished: datetime = Field(description="when the driver first reported that all replicas were complete")
    seconds: float = Field(description="from started to finished")
    uncertainty_s: float = Field(
        description="by how many seconds that may be wrong: the intervals between the polls around its beginning and "
        "its end, plus at each of them the age that the driver's report may have had; all of the time if the driver "
        "never reported the rebuild",
    )
    trigger: str = Field(description="what the suite did to make the rebuild necessary")
    failures: list[str] = Field(
        default=[],
        description="the storage's message on each attempt that failed and that it repeated; the time includes these "
        "attempts",
    )
    rates: list[RatePoint] = Field(description="empty if the driver reports no progress")

    @property
    def waited_s(self) -> float:
        """The seconds from the trigger until the rebuild was observed to run."""
        return (self.started - self.triggered).total_seconds()


class LoadPoint(Frozen):
    """The rate of the foreground load in a period of time."""

    at_s: float = Field(description="end of that time, in s since the first rebuild began; negative before it")
    iops: float


class ForegroundRecord(Frozen):
    """Synchronous writes before and during the rebuilds; a latency is None if it is not known."""

    iops_before: Figure
    iops_during: Figure
    p99_before_s: Figure | None
    p99_during_s: Figure | None
    batch_s: int = Field(description="length in s of the batches from which the intervals are computed")
    points: list[LoadPoint]


class SmallerRebuild(Frozen):
    """The rebuilds of a volume of the same class and pattern that held less data."""

    size: int
    rebuilds: list[TimedRebuild]


class RebuildRecord(Frozen):
    """One data pattern on a volume of one class, and the rebuilds of one of its replicas."""

    storage_class: str
    pattern: Pattern
    driver: str
    size: int = Field(description="bytes of the file with the pattern, holes included: what had to be rebuilt")
    snapshots: int = Field(description="snapshots that the largest volume may have, including its head")
    time_limit_s: float
    confidence: float = Field(description="confidence of all two-sided intervals in this record")
    volume: str
    node: str = Field(description="the node that loaded the volume during the rebuild")
    rebuilds: list[TimedRebuild]
    smaller: SmallerRebuild | None = Field(
        default=None,
        description="the rebuilds of a second, smaller size: times for other sizes are projected from both; None if "
        "the suite timed only one size, whose whole time is then assumed to grow with the data",
    )
    largest_volume: Figure = Field(
        description="bytes that can be rebuilt within the time limit; it has a batch for each rebuild, or none if two "
        "sizes were timed; high is None if they set no upper bound",
    )
    foreground: ForegroundRecord | None
    foreground_missing: str | None = Field(description="why the foreground load is not known; None if it is known")
    settings: dict[str, str] = Field(description="settings of the storage that influence how long a rebuild takes")
    resolution_s: float = Field(default=0.0, description="maximum age, in s, of the progress that the driver reports")
    warnings: list[str]

    @property
    def seconds(self) -> float:
        """The mean time of the rebuilds."""
        return sum(rebuild.seconds for rebuild in self.rebuilds) / len(self.rebuilds)


class TimedSize(Frozen):
    """A size, and the mean time of its rebuilds."""

    size: int
    seconds: float


class RebuildTimes(Frozen):
    """The times of rebuilds for a sentence: facts of an outcome, and no record."""

    sizes: list[TimedSize] = Field(description="the smaller first, if there are two")
    repeats: int = Field(description="how often the larger was rebuilt")
    uncertainty_s: float = Field(description="the largest")
    failures: int = Field(description="failed attempts meanwhile")
    snapshots: int
    time_limit_s: float
    start_up_s: float | None = Field(
        default=None, description="time that does not grow with the data, if two sizes show it"
    )
    pace: float | None = Field(default=None, description="s a byte, if two sizes show it; zero or less: they do not")
    grows_faster: bool = Field(default=False, description="whether the larger certainly took longer per byte")
    largest: float | None = Field(default=None, description="bytes in the time limit; None if that is not known")
    low: float | None = Field(default=None, description="of `largest`")
    high: float | None = Field(default=None, description="of `largest`; None if there is no bound")
    confidence: float = Field(description="of the interval from low to high")
    at_least: float | None = Field(default=None, description="bytes, if `largest` is not known")
