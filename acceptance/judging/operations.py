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
"""of all intervals here: storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %"""


def needed_count(limits: Sequence[Limit]) -> int:
    """How many operations of a kind it takes until the strictest of the limits can be passed at all."""
    shares = [PERCENTILES[asked.percentile] for asked in map(operation_of, limits) if asked]
    return max((least_count(share, confidence=CONFIDENCE) for share in shares), default=1)


def judge_operations(record: OperationsRecord, limit: Limit) -> Verdict:
    """The verdict on a percentile of one operation, or on what failed of all of them."""
    asked = operation_of(limit)
    if asked is None:
        return _judge_failures(record, limit)
    found = next((operation for operation in record.operations if operation.operation == asked.operation), None)
    return _judge_time(record, found, limit, share=PERCENTILES[asked.percentile])


def _judge_time(record: OperationsRecord, found: OperationRecord | None, limit: Limit, *, share: float) -> Verdict:
    failed = {} if found is None else found.failed
    times = [] if found is None else [*found.seconds, *([math.inf] * sum(failed.values()))]
    if found is None or not times:
        return _verdict(record, limit, status="inconclusive", found=Outcome(code="operations.no_time_known"))
    at = percentile(times, share, confidence=CONFIDENCE)
    status = decide(at.low, at.high, at_most=limit.bound)
    code, needed = f"time_{LIES[status]}", least_count(share, confidence=CONFIDENCE)
    facts: dict[str, JsonValue] = {
        "count": len(times),
        "at_once": record.at_once,
        "failed": {**failed},
        "late": found.late,
    }
    if not math.isfinite(at.high):  # the verdict has no interval
        facts |= {"low_s": _finite(at.low), "confidence": CONFIDENCE}
    if status == "inconclusive" and len(times) < needed and not failed:
        code, facts = "too_few", {**facts, "needed": needed}
    return _verdict(
        record,
        limit,
        status=status,
        found=Outcome(code=f"operations.{code}", facts=facts),
        measured=at.value,
        interval=(at.low, at.high),
    )


def _judge_failures(record: OperationsRecord, limit: Limit) -> Verdict:
    """None may fail where none is allowed to: there is nothing to be unsure of. A share has an interval."""
    counted = [operation for operation in record.operations if operation.operation not in PARTS]
    failed = sum(sum(each.failed.values()) for each in counted)
    asked = sum(each.asked - each.late for each in counted)
    if not asked:
        return _verdict(record, limit, status="inconclusive", found=Outcome(code="operations.none_seen"))
    low, high = share_interval(failed, asked, confidence=CONFIDENCE)
    status: Decision = "fail" if failed else "pass"
    if limit.bound:
        status = decide(low, high, at_most=limit.bound)
    facts: dict[str, JsonValue] = {
        "failed": failed,
        "asked": asked,
        "at_once": record.at_once,
        "timeout_s": record.timeout_s,
        "reasons": {each.operation: {**each.failed} for each in counted if each.failed},
    }
    return _verdict(
        record,
        limit,
        status=status,
        found=Outcome(code=f"operations.failures_{LIES[status]}", facts=facts),
        measured=failed / asked,
        interval=(low, high),
    )


def _verdict(
    record: OperationsRecord,
    limit: Limit,
    *,
    status: Decision,
    found: Outcome,
    measured: float | None = None,
    interval: tuple[float, float] | None = None,
) -> Verdict:
    """What is beyond all bounds is no figure."""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=found,
        measured=None if measured is None else _finite(measured),
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=CONFIDENCE,
    )


def _finite(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None
