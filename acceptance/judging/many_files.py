"""A volume of many files + limit -> verdict. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection

from acceptance.judging.outcome import decide, held_against, outcome
from acceptance.limits.many_files import ManyFilesLimit
from acceptance.results.document import Verdict
from acceptance.results.many_files import DONE, FileRate, ManyFilesRecord, StartKind, StartRecord
from acceptance.results.requirement import Decision
from acceptance.text.quantities import format_quantity

CONFIDENCE = 0.98
"""of the intervals of rates: storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %"""
SEEN_S = 1.0
"""A pod is looked at no less often while it is waited for: it started so much earlier at most than it was seen to."""
OPTION = "--storage-many-files-count"
OTHER_GROUP: tuple[StartKind, ...] = ("other-group", "other-group-always")


def judge_many_files(record: ManyFilesRecord, limit: ManyFilesLimit) -> Verdict:
    """The verdict on an operation, by the interval of its mean; or on starts, by the slowest of them."""
    if not limit.of_starts:
        found = next((each for each in record.rates if each.operation == limit.aspect), None)
        return _judge_rate(record, found, limit)
    if limit.aspect == "start_growth":
        return _judge_growth(record, limit)
    kinds: Collection[StartKind] = OTHER_GROUP if limit.aspect == "other_group" else ("same-group",)
    return _judge_starts(record, [each for each in _on_files(record) if each.kind in kinds], limit)


def _judge_rate(record: ManyFilesRecord, found: FileRate | None, limit: ManyFilesLimit) -> Verdict:
    if found is None or not found.files:
        return _unseen(record, limit, f"no file on {record.storage_class} was {_done(limit)}")
    spent, time_s = sum(found.seconds), found.seconds_each * limit.files
    about = f"{found.files:,} files on {record.storage_class} were {_done(limit)}"
    if found.low is None or found.high is None:
        said = f"{about} in {_time(spent, limit)}"
        status: Decision = "fail" if spent > limit.at_most else "inconclusive"
        return _verdict(record, limit, said, status=status, measured=spent, few="too few folders were done to be sure")
    low, high = found.low * limit.files, found.high * limit.files
    said = f"{about} at {_rate(found.seconds_each)}; {limit.files:,} take {_time(time_s, limit)}"
    said += f" ({CONFIDENCE * 100:.4g}% CI {_time(low, limit)} to {_time(high, limit)})"
    status = decide(low, high, at_most=limit.at_most)
    few = "more files would decide it" if status == "inconclusive" else ""
    if status == "pass" and found.files < limit.files:  # folders fill, caches end
        status, few = "inconclusive", _too_few(found.files, limit)
    return _verdict(record, limit, said, status=status, measured=time_s, interval=(low, high), few=few)


def _judge_starts(record: ManyFilesRecord, starts: Collection[StartRecord], limit: ManyFilesLimit) -> Verdict:
    """None may be slower than the limit, so that no interval around a mean is needed."""
    if not starts:
        return _unseen(record, limit, f"no such pod was started on {record.storage_class}")
    of = "the pod" if len(starts) == 1 else f"the slowest of {len(starts)} pods"
    with_group = " with another fsGroup" if limit.aspect == "other_group" else ""
    about = f"{of}{with_group} on {record.files:,} files on {record.storage_class}"
    never = next((each for each in starts if each.seconds is None), None)
    if never is not None:
        said = f"{about} had not started after {format_quantity(record.timeout_s, unit='s')} ({never.why})"
        return _of_count(record, limit, said, low=record.timeout_s, high=math.inf)
    slowest = max(each.seconds for each in starts if each.seconds is not None)
    said = f"{about} had started {_time(slowest, limit)} after it was asked for"
    return _of_count(record, limit, said, low=max(0.0, slowest - SEEN_S), high=slowest, measured=slowest)


def _judge_growth(record: ManyFilesRecord, limit: ManyFilesLimit) -> Verdict:
    """The slowest start on the files beside the slowest and the quickest on the empty volume: starts vary so much."""
    alike = [each for each in record.starts if each.kind == "same-group"]
    if any(each.seconds is None and not each.files for each in alike):
        return _unseen(record, limit, f"a pod on an empty volume of {record.storage_class} did not start in time")
    empty = [each.seconds for each in alike if not each.files and each.seconds is not None]
    full = [each.seconds or math.inf for each in alike if each.files]
    if not empty or not full:
        return _unseen(record, limit, f"no such pod was started on {record.storage_class}")
    low = max(0.0, min(max(full), record.timeout_s) - max(empty) - SEEN_S)
    high = max(0.0, max(full) - min(empty) + SEEN_S)
    said = (
        f"the slowest of {len(full)} pods on {record.files:,} files on {record.storage_class} started "
        f"{_time(low, limit)} to {_time(high, limit)} later than those on an empty volume"
    )
    measured = max(0.0, max(full) - _middle(empty))
    return _of_count(record, limit, said, low=low, high=high, measured=measured)


def _of_count(
    record: ManyFilesRecord, limit: ManyFilesLimit, said: str, *, low: float, high: float, measured: float | None = None
) -> Verdict:
    """A start with so many files: fewer than the limit is about pass nothing, more of them fail nothing."""
    status: Decision = decide(low, high, at_most=limit.at_most)
    few = "pods are looked at once a second, and starts vary" if status == "inconclusive" else ""
    if (status == "pass" and record.files < limit.files) or (status == "fail" and record.files > limit.files):
        status, few = "inconclusive", _too_few(record.files, limit)
    interval = (low, high) if math.isfinite(high) else None
    return _verdict(record, limit, said, status=status, measured=measured, interval=interval, few=few)


def _too_few(files: int, limit: ManyFilesLimit) -> str:
    return f"the limit is about {limit.files:,} files, and there were {files:,}: ask for as many with {OPTION}"


def _unseen(record: ManyFilesRecord, limit: ManyFilesLimit, said: str) -> Verdict:
    return outcome(
        limit,
        storage_class=record.storage_class,
        status="inconclusive",
        reason=f"{said}, so it cannot be judged.",
        measured=None,
        unit="s",
    )


def _verdict(
    record: ManyFilesRecord,
    limit: ManyFilesLimit,
    said: str,
    *,
    status: Decision,
    measured: float | None,
    interval: tuple[float, float] | None = None,
    few: str = "",
) -> Verdict:
    held = held_against(status, limit.wanted, because=limit.because, left_open=few, whole="")
    if few and few == _too_few(record.files, limit):
        held = few
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=f"{said}, {held}.",
        measured=measured if measured is not None and math.isfinite(measured) else None,
        unit="s",
        interval=interval if interval is not None and math.isfinite(interval[1]) else None,
        confidence=None if limit.of_starts else CONFIDENCE,
    )


def _on_files(record: ManyFilesRecord) -> list[StartRecord]:
    return [each for each in record.starts if each.files]


def _middle(values: Collection[float]) -> float:
    return sorted(values)[len(values) // 2]


def _done(limit: ManyFilesLimit) -> str:
    return DONE[limit.aspect]  # type: ignore[index]  # asked of limits on operations alone


def _rate(seconds_each: float) -> str:
    return f"{1 / seconds_each:,.0f} a second" if seconds_each > 0.0 else "once"


def _time(seconds: float, limit: ManyFilesLimit) -> str:
    if not math.isfinite(seconds):
        return "beyond all bounds"
    return format_quantity(seconds, unit="s", beside=limit.at_most)
