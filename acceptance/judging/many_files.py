"""A volume of many files + limit -> verdict. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.declared import START_ASPECTS
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.many_files import FileRate, ManyFilesRecord, StartKind, StartRecord
from acceptance.results.requirement import LIES, Decision, Outcome

CONFIDENCE = 0.98
"""Confidence of the intervals of rates: storage exactly at its limit passes in at most 1 % of runs, fails in 1 %."""
SEEN_S = 1.0
"""The longest time (s) between two polls of a pod: it started at most this much earlier than it was seen to."""
OTHER_GROUP: tuple[StartKind, ...] = ("other-group", "other-group-always")


def judge_many_files(record: ManyFilesRecord, limit: Limit) -> Verdict:
    """Return the verdict on an operation, by the interval of its mean; or on starts, by the slowest of them."""
    if limit.path not in START_ASPECTS:
        rate = next((rate for rate in record.rates if rate.operation == limit.path), None)
        return _judge_rate(record, rate, limit)
    if limit.path == "start_growth":
        return _judge_growth(record, limit)
    kinds: Collection[StartKind] = OTHER_GROUP if limit.path == "other_group" else ("same-group",)
    return _judge_starts(record, [on_file for on_file in _on_files(record) if on_file.kind in kinds], limit)


def _judge_rate(record: ManyFilesRecord, rate: FileRate | None, limit: Limit) -> Verdict:
    if rate is None or not rate.files:
        return _unseen(record, limit, "never_done")
    status: Decision
    facts: dict[str, JsonValue] = {"files": rate.files}
    if rate.low is None or rate.high is None:
        total_s = sum(rate.seconds)
        status, code = ("fail", "time_outside") if total_s > limit.bound else ("inconclusive", "too_few_folders")
        return _verdict(record, limit, code, facts, status=status, value=total_s)
    low, high = rate.low * limit.at["files"], rate.high * limit.at["files"]
    facts["seconds_each"] = rate.seconds_each
    status = decide(low, high, at_most=limit.bound)
    code = f"rate_{LIES[status]}"
    if status == "pass" and rate.files < limit.at["files"]:  # folders fill, caches end
        status, code = "inconclusive", "rate_of_too_few"
    time_s = rate.seconds_each * limit.at["files"]
    return _verdict(record, limit, code, facts, status=status, value=time_s, interval=(low, high))


def _judge_starts(record: ManyFilesRecord, starts: Collection[StartRecord], limit: Limit) -> Verdict:
    """Return the verdict on starts. None may be slower than the limit, so no interval around a mean is needed."""
    if not starts:
        return _unseen(record, limit, "no_such_pod")
    never = next((start for start in starts if start.seconds is None), None)
    if never is not None:
        facts: dict[str, JsonValue] = {"pods": len(starts), "timeout_s": record.timeout_s, "why": never.why}
        return _of_count(record, limit, "no_start", facts, low=record.timeout_s, high=math.inf)
    slowest = max(start.seconds for start in starts if start.seconds is not None)
    low = max(0.0, slowest - SEEN_S)
    return _of_count(record, limit, "start", {"pods": len(starts)}, low=low, high=slowest, value=slowest)


def _judge_growth(record: ManyFilesRecord, limit: Limit) -> Verdict:
    """Compare the slowest start on the files with the slowest and the quickest on the empty volume: starts vary."""
    alike = [start for start in record.starts if start.kind == "same-group"]
    if any(start.seconds is None and not start.files for start in alike):
        return _unseen(record, limit, "no_start_on_none")
    empty = [start.seconds for start in alike if not start.files and start.seconds is not None]
    full = [start.seconds or math.inf for start in alike if start.files]
    if not empty or not full:
        return _unseen(record, limit, "no_such_pod")
    low = max(0.0, min(max(full), record.timeout_s) - max(empty) - SEEN_S)
    high = max(0.0, max(full) - min(empty) + SEEN_S)
    facts: dict[str, JsonValue] = {"pods": len(full)}
    if not math.isfinite(high):  # the verdict has no interval
        facts["low_s"] = low
    growth_s = max(0.0, max(full) - _middle(empty))
    return _of_count(record, limit, "growth", facts, low=low, high=high, value=growth_s)


def _of_count(
    record: ManyFilesRecord,
    limit: Limit,
    code_prefix: str,
    facts: dict[str, JsonValue],
    *,
    low: float,
    high: float,
    value: float | None = None,
) -> Verdict:
    """Return the verdict on starts: fewer files than the limit names never pass, more files never fail."""
    status: Decision = decide(low, high, at_most=limit.bound)
    lies = LIES[status]
    if (status == "pass" and record.files < limit.at["files"]) or (
        status == "fail" and record.files > limit.at["files"]
    ):
        status, lies = "inconclusive", "on_another_number"
    facts["files"] = record.files
    return _verdict(record, limit, f"{code_prefix}_{lies}", facts, status=status, value=value, interval=(low, high))


def _unseen(record: ManyFilesRecord, limit: Limit, code: str) -> Verdict:
    return _verdict(record, limit, code, {}, status="inconclusive", value=None)


def _verdict(
    record: ManyFilesRecord,
    limit: Limit,
    code: str,
    facts: dict[str, JsonValue],
    *,
    status: Decision,
    value: float | None,
    interval: tuple[float, float] | None = None,
) -> Verdict:
    """Return the verdict; infinite values are left out of it."""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=Outcome(code=f"many_files.{code}", facts=facts),
        value=value if value is not None and math.isfinite(value) else None,
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=None if limit.path in START_ASPECTS else CONFIDENCE,
    )


def _on_files(record: ManyFilesRecord) -> list[StartRecord]:
    return [start for start in record.starts if start.files]


def _middle(values: Collection[float]) -> float:
    return sorted(values)[len(values) // 2]
