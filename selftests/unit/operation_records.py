"""Records of control operations as they would be, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.operations import ObjectRecord, Operation, OperationRecord, OperationsRecord, PercentileTime
from selftests.unit.made_limits import of_operations

BIND = of_operations("bind.p95", 30.0, because="pods wait for it.")
NONE_FAILED = of_operations("failed", 0.0, because="somebody has to look")


def times(
    seconds: Sequence[float], *, operation: Operation = "bind", failed: dict[str, int] | None = None, late: int = 0
) -> OperationRecord:
    """One kind of operation that took so long each."""
    failures = failed or {}
    return OperationRecord(
        operation=operation,
        asked=len(seconds) + late + sum(failures.values()),
        failed=failures,
        late=late,
        per_s=4.0,
        seconds=list(seconds),
        percentiles={"p50": PercentileTime(seconds=1.0, low=0.5, high=None)},
        confidence=0.98,
    )


def record(*operations: OperationRecord, **change: Any) -> OperationsRecord:
    """Those of a class, twenty at once."""
    at_s = {"asked": 0.0, "provisioned": 0.5, "bound": 1.0, "ready": 4.0, "deletion_asked": 9.0, "gone": 11.0}
    whole = OperationsRecord(
        storage_class="fast<b>",
        at_once=20,
        rounds=5,
        binding_mode="Immediate",
        timeout_s=300.0,
        operations=list(operations),
        missing={},
        objects=[
            ObjectRecord(name="operations-1-1", kind="volume", round=1, at_s=at_s),
            ObjectRecord(
                name="operations-1-2", kind="volume", round=1, at_s={"asked": 0.1}, failed={"bind": "No: <i>"}
            ),
        ],
        requests={"POST persistentvolumeclaims": 100},
    )
    return whole.model_copy(update=change)
