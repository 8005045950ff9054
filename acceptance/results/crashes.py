"""What crashes found: the models behind `durability` and `failovers` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen

Failure = Literal["pod-killed", "pod-killed-and-moved", "node-failed", "failover", "drained"]


class DurabilityRecord(Frozen):
    """One crash while records were written, and which of the acknowledged ones were there afterwards."""

    storage_class: str
    failure: Failure
    node: str = Field(description="from which the records were written")
    read_on: str = Field(description="from which they were read")
    crashed: datetime
    what: str = Field(description="what was done to writer or node, in words")
    acknowledged: int = Field(description="records whose number was printed after they were made durable")
    write_s: float = Field(description="from the first acknowledged record to the last")
    whole: int = Field(description="records that were whole at their places afterwards, acknowledged or not")
    lost: list[tuple[int, int]] = Field(description="acknowledged and not whole: first and last number of each run")

    @property
    def lost_count(self) -> int:
        """How many acknowledged records are not there."""
        return sum(last - first + 1 for first, last in self.lost)


class Phase(Frozen):
    """A part of a failover or a drain. `seconds`: since the part before it."""

    name: str
    seconds: float


class FailoverRecord(Frozen):
    """A node that failed or was drained, and the volume in use on another one."""

    storage_class: str
    failure: Failure = Field(default="failover", description="how the volume came to leave its node")
    failed_node: str = Field(description="the node that failed or was drained")
    node: str = Field(description="on which the volume is used afterwards")
    failed: datetime = Field(description="when the last write was acknowledged on the node that was left")
    phases: list[Phase] = Field(description="one after the other, from then to the first durable write elsewhere")
    stayed: list[str] | None = Field(
        default=None,
        description="what the cluster still showed of the volume on a drained node at the end; null where it shows "
        "nothing of such volumes on any node, and after a failover",
    )

    @property
    def seconds(self) -> float:
        """From the last durable write on the one node to the first on the other."""
        return sum(phase.seconds for phase in self.phases)
