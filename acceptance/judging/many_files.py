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
"""of the intervals of rates: storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %"""
SEEN_S = 1.0
"""A pod is looked at no less often while it is waited for: it started so much earlier at most than it was seen to."""
OTHER_GROUP: tuple[StartKind, ...] = ("other-group", "other-group-always")


def judge_many_files(record: ManyFilesRecord, limit: Limit) -> Verdict:
    """The verdict on an operation, by the interval of its mean; or on starts, by the slowest of them."""
    if limit.path not in START_ASPECTS:
        found = next((rate for rate in record.rates if rate.operation == limit.path), None)
        return _judge_rate(record, found, limit)
    if limit.path == "start_growth":
        return _judge_growth(record, limit)
    kinds: Collection[StartKind] = OTHER_GROUP if limit.path == "other_group" else ("same-group",)
    return _judge_starts(record, [on_file for on_file in _on_files(record) if on_file.kind in kinds], limit)


def _judge_rate(record: ManyFilesRecord, found: FileRate | None, limit: Limit) -> Verdict:
    if found is None or not found.files:
        return _unseen(record, limit, "never_done")
    status: Decision
    facts: dict[str, JsonValue] = {"files": found.files}
    if found.low is None or found.high is None:
        spent = sum(found.seconds)
        status, code = ("fail", "time_outside") if spent > limit.bound else ("inconclusive", "too_few_folders")
        return _verdict(record, limit, code, facts, status=status, measured=spent)
    low, high = found.low * limit.at["files"], found.high * limit.at["files"]
    facts["seconds_each"] = found.seconds_each
    status = decide(low, high, at_most=limit.bound)
    code = f"rate_{LIES[status]}"
    if status == "pass" and found.files < limit.at["files"]:  # folders fill, caches end
        status, code = "inconclusive", "rate_of_too_few"
    time_s = found.seconds_each * limit.at["files"]
    return _verdict(record, limit, code, facts, status=status, measured=time_s, interval=(low, high))


def _judge_starts(record: ManyFilesRecord, starts: Collection[StartRecord], limit: Limit) -> Verdict:
    """None may be slower than the limit, so that no interval around a mean is needed."""
    if not starts:
        return _unseen(record, limit, "no_such_pod")
    never = next((start for start in starts if start.seconds is None), None)
    if never is not None:
        facts: dict[str, JsonValue] = {"pods": len(starts), "timeout_s": record.timeout_s, "why": never.why}
        return _of_count(record, limit, "no_start", facts, low=record.timeout_s, high=math.inf)
    slowest = max(start.seconds for start in starts if start.seconds is not None)
    low = max(0.0, slowest - SEEN_S)
    return _of_count(record, limit, "start", {"pods": len(starts)}, low=low, high=slowest, measured=slowest)


def _judge_growth(record: ManyFilesRecord, limit: Limit) -> Verdict:
    """The slowest start on the files beside the slowest and the quickest on the empty volume: starts vary so much."""
    alike = [start for start in record.starts if start.kind == "same-group"]
    if any(each.seconds is None and not each.files for each in alike):
        return _unseen(record, limit, "no_start_on_none")
    empty = [each.seconds for each in alike if not each.files and each.seconds is not None]
    full = [each.seconds or math.inf for each in alike if each.files]
    if not empty or not full:
        return _unseen(record, limit, "no_such_pod")
    low = max(0.0, min(max(full), record.timeout_s) - max(empty) - SEEN_S)
    high = max(0.0, max(full) - min(empty) + SEEN_S)
    facts: dict[str, JsonValue] = {"pods": len(full)}
    if not math.isfinite(high):  # the verdict has no interval
        facts["low_s"] = low
    measured = max(0.0, max(full) - _middle(empty))
    return _of_count(record, limit, "growth", facts, low=low, high=high, measured=measured)


def _of_count(
    record: ManyFilesRecord,
    limit: Limit,
    what: str,
    facts: dict[str, JsonValue],
    *,
    low: float,
    high: float,
    measured: float | None = None,
) -> Verdict:
    """A start with so many files: fewer than the limit is about pass nothing, more of them fail nothing."""
    status: Decision = decide(low, high, at_most=limit.bound)
    lies = LIES[status]
    if (status == "pass" and record.files < limit.at["files"]) or (
        status == "fail" and record.files > limit.at["files"]
    ):
        status, lies = "inconclusive", "on_another_number"
    facts["files"] = record.files
    return _verdict(record, limit, f"{what}_{lies}", facts, status=status, measured=measured, interval=(low, high))


def _unseen(record: ManyFilesRecord, limit: Limit, code: str) -> Verdict:
    return _verdict(record, limit, code, {}, status="inconclusive", measured=None)


def _verdict(
    record: ManyFilesRecord,
    limit: Limit,
    code: str,
    facts: dict[str, JsonValue],
    *,
    status: Decision,
    measured: float | None,
    interval: tuple[float, float] | None = None,
) -> Verdict:
    """What is beyond all bounds is no figure."""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=Outcome(code=f"many_files.{code}", facts=facts),
        measured=measured if measured is not None and math.isfinite(measured) else None,
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=None if limit.path in START_ASPECTS else CONFIDENCE,
    )


def _on_files(record: ManyFilesRecord) -> list[StartRecord]:
    return [start for start in record.starts if start.files]


def _middle(values: Collection[float]) -> float:
    return sorted(values)[len(values) // 2]
