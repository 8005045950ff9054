"""Records of crashes: the models behind `durability` and `failovers` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen

Failure = Literal[
    "pod-killed",
    "pod-killed-and-moved",
    "node-failed",
    "failover",
    "failover-out-of-service",
    "drained",
    "kubelet-restarted",
    "kubelet-away",
    "storage-interrupted",
    "nodes-restarted",
    "nodes-restarted-together",
    "node-shut-down",
    "node-cut-off",
    "node-rejoined",
]


class DurabilityRecord(Frozen):
    """One crash while a pod wrote records, and which acknowledged records were there afterwards."""

    storage_class: str
    failure: Failure
    node: str = Field(description="the node on which the pod wrote the records")
    read_on: str = Field(description="the node on which a pod read them")
    crashed: datetime
    what: str = Field(description="what the suite did to the writing pod or to its node, in words")
    acknowledged: int = Field(
        description="number of records whose number the pod printed after it had made them durable"
    )
    write_s: float = Field(description="from the first acknowledged record to the last, in s")
    whole: int = Field(
        description="number of records that were complete and in their place after the crash, acknowledged or not"
    )
    lost: list[tuple[int, int]] = Field(
        description="acknowledged records that were not complete: the first and last number of each range"
    )

    @property
    def lost_count(self) -> int:
        """The number of lost acknowledged records."""
        return sum(last - first + 1 for first, last in self.lost)


class Phase(Frozen):
    """A part of a failover or a drain. `seconds`: since the part before it."""

    name: str
    seconds: float


class FailoverRecord(Frozen):
    """A node failed, was drained or disturbed, and its volume came into use on another node."""

    storage_class: str
    failure: Failure = Field(default="failover", description="why the volume left its node")
    failed_node: str = Field(description="the node that the volume left")
    node: str = Field(description="the node that uses the volume afterwards")
    failed: datetime = Field(description="when the last write was acknowledged on the first node")
    phases: list[Phase] = Field(
        description="in their order, from that write to the first durable write on another node"
    )
    stayed: list[str] | None = Field(
        default=None,
        description="traces of the volume that remained on the node that it left, at the end; null if traces of such "
        "volumes cannot be observed on any node, and after a failover",
    )

    @property
    def seconds(self) -> float:
        """The seconds from the last durable write on one node to the first on the other."""
        return sum(phase.seconds for phase in self.phases)
