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
        description="before: until the snapshot was asked for; taken: until it was ready to use; restored: until its "
        "copy was read and gone; deleted: until the snapshot was gone"
    )
    seconds: float
    records: int
    longest_s: float = Field(description="the longest time in it without a record")

    @property
    def rate(self) -> float:
        """The rate in records a second."""
        return self.records / self.seconds if self.seconds else 0.0


class SnapshotRecord(Frozen):
    """A snapshot that was taken while records were written to its volume, and what a volume restored from it held.

    Of several volumes it is a group snapshot, and what those restored from it held together.
    """

    storage_class: str
    snapshot_class: str = Field(description="of several volumes the VolumeGroupSnapshotClass")
    node: str = Field(description="from which the records were written")
    asked: datetime = Field(description="when the snapshot was asked for, by the clock of the suite")
    volumes: int = Field(
        default=1, ge=1, description="of one pod, on which the files are in turn; of several a group snapshot was taken"
    )
    files: int = Field(description="that took the records in turn, each in a folder of its own")
    acknowledged: int = Field(description="records whose number had arrived in the suite before it was asked for")
    whole: int = Field(description="records that were whole on the restored volume, acknowledged or not")
    last: int = Field(description="the number of the last record of which anything was there")
    lost: list[tuple[int, int]] = Field(
        description="acknowledged before it was asked for, and not whole: first and last number of each run"
    )
    holes: list[tuple[int, int]] = Field(
        description="not whole, though something was there of a later one, which was begun when they were durable"
    )
    paces: list[Pace] = Field(description="one stage after the other; none of when all records had been written")


class ManySnapshotsRecord(Frozen):
    """A volume with many snapshots and one without, filled and written alike, then loaded in turn by one profile."""

    storage_class: str
    snapshot_class: str
    node: str = Field(description="of both volumes, and of their load")
    profile: str
    metric: str = Field(description="of the rates, and of what is left")
    piece: int = Field(description="bytes that were written over between two snapshots, at the least")
    times: list[float] = Field(description="from asking for each snapshot until it was ready to use, in their order")
    with_snapshots: float | None = Field(
        description="mean rate of the volume that has them; None: nothing was measured"
    )
    without: float | None = Field(description="mean rate of the other one")
    left: Span | None = Field(description="the first as a ratio of the second; None: one of them did nothing")
    confidence: float = Field(description="of the interval of what is left")
    seconds: int = Field(description="of load on each volume")
    deleted_s: float = Field(description="until all snapshots were gone, asked for at once")
    test_size: int = Field(description="bytes")

    @property
    def count(self) -> int:
        """The number of snapshots of the volume."""
        return len(self.times)
