"""Records of concurrent control operations: the models behind `operations` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen

Operation = Literal[
    "bind", "attach", "mount", "start", "snapshot", "restore", "snapshots_of_one", "clone", "expand", "delete"
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
TITLES: dict[Operation, str] = {
    "bind": "PVC bound",
    "attach": "volume attached",
    "mount": "volume mounted",
    "start": "pod ready",
    "snapshot": "snapshot ready to use",
    "restore": "restored volume bound",
    "snapshots_of_one": "snapshot of one and the same volume ready to use",
    "clone": "clone bound",
    "expand": "volume expanded",
    "delete": "PV deleted",
}
"""The event that completes each operation."""
PARTS: tuple[Operation, ...] = ("attach", "mount")
"""Parts of the start of a pod, if the cluster reports them separately: a missing part is a failed start."""
ObjectKind = Literal["volume", "restored", "clone", "snapshot", "snapshot-of-one"]
Moment = Literal[
    "asked",
    "provisioned",
    "bound",
    "pod_asked",
    "scheduled",
    "attaching",
    "attached",
    "mounted",
    "ready",
    "growth_asked",
    "expanded",
    "deletion_asked",
    "gone",
]
"""The progress of an object, as the watches reported it."""


class PercentileTime(Frozen):
    """A percentile by the nearest rank and its interval, by order statistics (`acceptance.statistics`).

    A failed operation counts as one that took infinitely long: None is a time after the end of the observation.
    """

    seconds: float | None
    low: float
    high: float | None = Field(description="None: there are too few operations for an upper end, or too many failed")


class OperationRecord(Frozen):
    """One kind of operation, of all rounds together."""

    operation: Operation
    asked: int
    failed: dict[str, int] = Field(description="not done in time, by the reason of the cluster's last warning")
    late: int = Field(description="seen late, since the connection was broken: neither their time nor they count")
    per_s: float | None = Field(
        description="done a second, from the first that was asked for to the last that was done"
    )
    seconds: list[float] = Field(description="of each that was done, in the order of asking")
    percentiles: dict[str, PercentileTime] = Field(description="p50, p95 and p99; empty where none counts")
    confidence: float = Field(description="of the two-sided intervals")


class ObjectRecord(Frozen):
    """One volume or snapshot. `at_s`: since its round began."""

    name: str
    kind: ObjectKind
    round: int
    at_s: dict[Moment, float]
    failed: dict[Operation, str] = Field(default={}, description="what was not done in time, and what the cluster says")


class OperationsRecord(Frozen):
    """Control operations of one class, many at once, as many rounds as their percentiles need."""

    storage_class: str
    at_once: int
    rounds: int = Field(description="that were done: they end after the first in which an operation failed")
    binding_mode: str
    timeout_s: float = Field(description="an operation that takes longer has failed")
    operations: list[OperationRecord]
    missing: dict[Operation, str] = Field(description="what was not done, and why the class or the cluster cannot")
    objects: list[ObjectRecord]
    requests: dict[str, int] = Field(description="what the suite itself asked of the API server")
