"""Records of snapshots of volumes in use, and of write rates with many snapshots: the models behind `snapshots` and
`many_snapshots` in `results.json`. Times in s, rates in 1/s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.under_load import Span

Stage = Literal["before", "taken", "restored", "deleted"]


class Pace(Frozen):
    """The rate of acknowledged records in one stage, as they arrived in the suite."""

    stage: Stage = Field(
        description="before: until the snapshot was requested; taken: until it was ready to use; restored: until its "
        "copy was read and deleted; deleted: until the snapshot was deleted"
    )
    seconds: float
    records: int
    longest_s: float = Field(description="the longest time in the stage without a record")

    @property
    def rate(self) -> float:
        """The rate in records a second."""
        return self.records / self.seconds if self.seconds else 0.0


class SnapshotRecord(Frozen):
    """A snapshot that was taken while records were written to its volume, and what a volume restored from it held.

    Of several volumes it is a group snapshot, and what those restored from it held together.
    """

    storage_class: str
    snapshot_class: str = Field(description="for several volumes, the VolumeGroupSnapshotClass")
    node: str = Field(description="node from which the records were written")
    asked: datetime = Field(description="when the snapshot was requested, by the clock of the suite")
    volumes: int = Field(
        default=1,
        ge=1,
        description="number of volumes of the pod, which hold the files in turn; several have a group snapshot",
    )
    files: int = Field(description="number of files that received the records in turn, each in its own folder")
    acknowledged: int = Field(
        description="number of records whose number had arrived in the suite before the snapshot was requested"
    )
    whole: int = Field(description="number of complete records on the restored volume, acknowledged or not")
    last: int = Field(description="the number of the last record of which any part was present")
    lost: list[tuple[int, int]] = Field(
        description="incomplete records that were acknowledged before the request: first and last number of each range"
    )
    holes: list[tuple[int, int]] = Field(
        description="records that are incomplete although a later record, begun after they were durable, is present in "
        "part"
    )
    paces: list[Pace] = Field(description="one stage after the other; none after all records had been written")


class ManySnapshotsRecord(Frozen):
    """A volume with many snapshots and one without, filled and written alike, then loaded in turn by one profile."""

    storage_class: str
    snapshot_class: str
    node: str = Field(description="node of both volumes and of their load")
    profile: str
    metric: str = Field(description="metric of the rates and of the remaining share")
    piece: int = Field(description="minimum number of bytes that were overwritten between two snapshots")
    times: list[float] = Field(
        description="time from the request for each snapshot until it was ready to use, in their order"
    )
    with_snapshots: float | None = Field(
        description="mean rate of the volume with snapshots; None: nothing was measured"
    )
    without: float | None = Field(description="mean rate of the volume without snapshots")
    left: Span | None = Field(
        description="rate with snapshots / rate without; None if one volume completed no operation"
    )
    confidence: float = Field(description="confidence of the interval of the remaining share")
    seconds: int = Field(description="seconds of load on each volume")
    deleted_s: float = Field(
        description="seconds until all snapshots were deleted, after all deletions were requested at the same time"
    )
    test_size: int = Field(description="bytes")

    @property
    def count(self) -> int:
        """The number of snapshots of the volume."""
        return len(self.times)
