"""Records of planned disruption: the models behind `storage_pods` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from acceptance.results.model import Frozen


class KilledPod(Frozen):
    """One pod of the storage system that was deleted while records were written."""

    pod: str
    node: str
    ready_s: float | None = Field(
        default=None,
        description="from its deletion until another pod was Ready in its place, and all others were; null: never",
    )
    gap_s: float = Field(
        description="longest time between two durable records, from its deletion until writing continued; if the "
        "writing pod broke off: from its last durable record until a new pod had written to the volume and read it",
    )
    new_volume_s: float | None = Field(
        default=None, description="from then until a new volume had been provisioned and written to; null: never"
    )
    broke: str = Field(default="", description="why the pod that wrote records broke off, if it did")
    problem: str = Field(default="", description="what did not recover; the suite then killed no more pods")


class StoragePodsRecord(Frozen):
    """Pods of the storage system, killed one after the other, and which acknowledged records were there afterwards."""

    storage_class: str
    selector: str = Field(description="NAMESPACE/LABELS of the pods")
    node: str = Field(description="the node on which the pod wrote the records")
    read_on: str = Field(description="the node on which a pod read them; empty if none could")
    unread: str = Field(default="", description="why they could not be read; then it is not known which are lost")
    started: datetime = Field(description="when the first pod was deleted")
    kills: list[KilledPod] = Field(description="in their order")
    left: int = Field(description="number of pods with these labels that were not killed")
    acknowledged: int = Field(description="number of acknowledged records")
    lost: list[tuple[int, int]] = Field(
        description="acknowledged records that were not complete: the first and last number of each range"
    )

    @property
    def lost_count(self) -> int:
        """The number of lost acknowledged records."""
        return sum(last - first + 1 for first, last in self.lost)

    @property
    def problem(self) -> str:
        """The first problem of a killed pod that did not come back; empty if there is none."""
        return next((kill.problem for kill in self.kills if kill.problem), "")
