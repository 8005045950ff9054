"""Control operations + limit -> verdict. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from acceptance.judging.outcome import decide, held_against, outcome
from acceptance.limits.operations import PERCENTILES, OperationLimit
from acceptance.results.document import Verdict
from acceptance.results.operations import PARTS, TITLES, OperationRecord, OperationsRecord
from acceptance.results.requirement import Decision
from acceptance.statistics.order_statistics import least_count, percentile, share_interval
from acceptance.text.quantities import format_quantity

CONFIDENCE = 0.98
"""of all intervals here: storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %"""
AT_ONCE = "--storage-operations-at-once"


def needed_count(limits: Sequence[OperationLimit]) -> int:
    """How many operations of a kind it takes until the strictest of the limits can be passed at all."""
    shares = [PERCENTILES[each.percentile] for each in limits if each.percentile]
    return max((least_count(share, confidence=CONFIDENCE) for share in shares), default=1)


def judge_operations(record: OperationsRecord, limit: OperationLimit) -> Verdict:
    """The verdict on a percentile of one operation, or on what failed of all of them."""
    if limit.operation is None:
        return _judge_failures(record, limit)
    found = next((each for each in record.operations if each.operation == limit.operation), None)
    return _judge_time(record, found, limit)


def _judge_time(record: OperationsRecord, found: OperationRecord | None, limit: OperationLimit) -> Verdict:
    assert limit.operation is not None and limit.percentile is not None
    failed = 0 if found is None else sum(found.failed.values())
    times = [] if found is None else [*found.seconds, *([math.inf] * failed)]
    subject = f"{limit.percentile} until {TITLES[limit.operation]} on {record.storage_class}"
    of = f"{len(times)} operations, {record.at_once} at once"
    if found is None or not times:
        said = f"{subject} has no value: no such operation was asked for and seen, so it cannot be judged"
        return _verdict(record, limit, status="inconclusive", reason=f"{said}.")
    share = PERCENTILES[limit.percentile]
    at = percentile(times, share, confidence=CONFIDENCE)
    status = decide(at.low, at.high, at_most=limit.at_most)
    ends = f"{CONFIDENCE * 100:.4g}% CI {_time(at.low, limit)} to {_time(at.high, limit)}"
    said = f"{subject} is {_time(at.value, limit)} ({ends}; {of})"
    held = held_against(status, limit.wanted, because=limit.because, left_open=_left_open(len(times), failed, share))
    told = f"; {failed} failed: {by_reason(found.failed)}" if failed else ""
    if found.late:
        told += f"; {found.late} more were seen late and do not count"
    return _verdict(
        record,
        limit,
        status=status,
        reason=f"{said}, {held}{told}.",
        measured=at.value,
        interval=(at.low, at.high),
    )


def _left_open(count: int, failed: int, share: float) -> str:
    needed = least_count(share, confidence=CONFIDENCE)
    if count < needed and not failed:
        return f"{count} operations have no upper end of that percentile, {needed} do: ask for more with {AT_ONCE}"
    return f"more operations ({AT_ONCE}) would decide it"


def _judge_failures(record: OperationsRecord, limit: OperationLimit) -> Verdict:
    """None may fail where none is allowed to: there is nothing to be unsure of. A share has an interval."""
    counted = [each for each in record.operations if each.operation not in PARTS]
    failed = sum(sum(each.failed.values()) for each in counted)
    asked = sum(each.asked - each.late for each in counted)
    if not asked:
        said = f"no control operation on {record.storage_class} was asked for and seen, so it cannot be judged"
        return _verdict(record, limit, status="inconclusive", reason=f"{said}.")
    low, high = share_interval(failed, asked, confidence=CONFIDENCE)
    status: Decision = "fail" if failed else "pass"
    if limit.at_most:
        status = decide(low, high, at_most=limit.at_most)
    ends = f"{CONFIDENCE * 100:.4g}% CI {100 * low:.2g} to {100 * high:.2g} % of such operations"
    said = f"{failed} of {asked} control operations on {record.storage_class} failed ({ends}; {record.at_once} at once)"
    held = held_against(
        status, limit.wanted, because=limit.because, left_open=f"more operations ({AT_ONCE}) would decide it", whole=""
    )
    told = ""
    if failed:
        each = "; ".join(f"{TITLES[one.operation]}: {by_reason(one.failed)}" for one in counted if one.failed)
        told = f"; not done within {format_quantity(record.timeout_s, unit='s')}: {each}"
    return _verdict(
        record,
        limit,
        status=status,
        reason=f"{said}, {held}{told}.",
        measured=failed / asked,
        interval=(low, high),
    )


def by_reason(failed: Mapping[str, int]) -> str:
    """`3 ProvisioningFailed, 1 nothing said`"""
    return ", ".join(f"{count} {reason}" for reason, count in Counter(failed).most_common())


def _verdict(
    record: OperationsRecord,
    limit: OperationLimit,
    *,
    status: Decision,
    reason: str,
    measured: float | None = None,
    interval: tuple[float, float] | None = None,
) -> Verdict:
    """What is beyond all bounds is no figure: the reason says it."""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=reason,
        measured=measured if measured is not None and math.isfinite(measured) else None,
        unit=limit.unit,
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=CONFIDENCE,
    )


def _time(seconds: float, limit: OperationLimit) -> str:
    return format_quantity(seconds, unit="s", beside=limit.at_most) if math.isfinite(seconds) else "beyond all bounds"
