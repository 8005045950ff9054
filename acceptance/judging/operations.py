"""Control operations + limit -> verdict. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.declared import PERCENTILES, operation_of
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.operations import PARTS, OperationRecord, OperationsRecord
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.statistics.order_statistics import least_count, percentile, share_interval

CONFIDENCE = 0.98
"""Confidence of all intervals here: storage exactly at its limit passes in at most 1 % of runs, and fails in 1 %."""


def needed_count(limits: Sequence[Limit]) -> int:
    """Return the number of operations of a kind that the strictest of the limits needs for a pass."""
    shares = [PERCENTILES[operation.percentile] for operation in map(operation_of, limits) if operation]
    return max((least_count(share, confidence=CONFIDENCE) for share in shares), default=1)


def judge_operations(record: OperationsRecord, limit: Limit) -> Verdict:
    """Return the verdict on a percentile of one operation, or on the failures of all operations."""
    target = operation_of(limit)
    if target is None:
        return _judge_failures(record, limit)
    operation = next((operation for operation in record.operations if operation.operation == target.operation), None)
    return _judge_time(record, operation, limit, share=PERCENTILES[target.percentile])


def _judge_time(record: OperationsRecord, operation: OperationRecord | None, limit: Limit, *, share: float) -> Verdict:
    failures = {} if operation is None else operation.failed
    times = [] if operation is None else [*operation.seconds, *([math.inf] * sum(failures.values()))]
    if operation is None or not times:
        return _verdict(record, limit, status="inconclusive", finding=Outcome(code="operations.no_time_known"))
    at = percentile(times, share, confidence=CONFIDENCE)
    status = decide(at.low, at.high, at_most=limit.bound)
    code, min_count = f"time_{LIES[status]}", least_count(share, confidence=CONFIDENCE)
    facts: dict[str, JsonValue] = {
        "count": len(times),
        "at_once": record.at_once,
        "failed": {**failures},
        "late": operation.late,
    }
    if not math.isfinite(at.high):  # the verdict has no interval
        facts |= {"low_s": _finite(at.low), "confidence": CONFIDENCE}
    if status == "inconclusive" and len(times) < min_count and not failures:
        code, facts = "too_few", {**facts, "needed": min_count}
    return _verdict(
        record,
        limit,
        status=status,
        finding=Outcome(code=f"operations.{code}", facts=facts),
        value=at.value,
        interval=(at.low, at.high),
    )


def _judge_failures(record: OperationsRecord, limit: Limit) -> Verdict:
    """Return the verdict on failures. A limit of 0 % allows none, which needs no interval; another share has one."""
    operations = [operation for operation in record.operations if operation.operation not in PARTS]
    failure_count = sum(sum(operation.failed.values()) for operation in operations)
    request_count = sum(operation.asked - operation.late for operation in operations)
    if not request_count:
        return _verdict(record, limit, status="inconclusive", finding=Outcome(code="operations.none_seen"))
    low, high = share_interval(failure_count, request_count, confidence=CONFIDENCE)
    status: Decision = "fail" if failure_count else "pass"
    if limit.bound:
        status = decide(low, high, at_most=limit.bound)
    facts: dict[str, JsonValue] = {
        "failed": failure_count,
        "asked": request_count,
        "at_once": record.at_once,
        "timeout_s": record.timeout_s,
        "reasons": {operation.operation: {**operation.failed} for operation in operations if operation.failed},
    }
    return _verdict(
        record,
        limit,
        status=status,
        finding=Outcome(code=f"operations.failures_{LIES[status]}", facts=facts),
        value=failure_count / request_count,
        interval=(low, high),
    )


def _verdict(
    record: OperationsRecord,
    limit: Limit,
    *,
    status: Decision,
    finding: Outcome,
    value: float | None = None,
    interval: tuple[float, float] | None = None,
) -> Verdict:
    """Return the verdict; infinite values are left out of it."""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=finding,
        value=None if value is None else _finite(value),
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=CONFIDENCE,
    )


def _finite(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None
