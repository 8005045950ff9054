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
    "snapshots_of_one": "snapshot of the same volume ready to use",
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
    failed: dict[str, int] = Field(
        description="operations that were not completed in time, by the reason of the cluster's last warning"
    )
    late: int = Field(
        description="number of operations that were observed late, because the connection was broken; they do not count"
    )
    per_s: float | None = Field(
        description="operations completed a second, from the first request to the last completion"
    )
    seconds: list[float] = Field(description="time of each completed operation, in the order of the requests")
    percentiles: dict[str, PercentileTime] = Field(description="p50, p95 and p99; empty if no operation counts")
    confidence: float = Field(description="confidence of the two-sided intervals")


class ObjectRecord(Frozen):
    """One volume or snapshot. `at_s`: since its round began."""

    name: str
    kind: ObjectKind
    round: int
    at_s: dict[Moment, float]
    failed: dict[Operation, str] = Field(
        default={}, description="operations that were not completed in time, with the cluster's message"
    )


class OperationsRecord(Frozen):
    """Concurrent control operations of one class, in as many rounds as their percentiles need."""

    storage_class: str
    at_once: int
    rounds: int = Field(description="number of completed rounds; they end after the first in which an operation failed")
    binding_mode: str
    timeout_s: float = Field(description="an operation that takes longer has failed")
    operations: list[OperationRecord]
    missing: dict[Operation, str] = Field(
        description="operations that were not tested, with the reason why the class or the cluster cannot do them"
    )
    objects: list[ObjectRecord]
    requests: dict[str, int] = Field(description="number of requests that the suite itself sent to the API server")
