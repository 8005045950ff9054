"""Per-second samples out of fio's documents, which count from the start of the job (or the end of its ramp)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acceptance.errors import StorageFailure
from acceptance.fio.documents import Document

DIRECTIONS = ("read", "write", "sync")
SHORTEST_SAMPLE_S = 0.5
# A ramp ends with the first operation that completes after its time.
RAMP_MARGIN_MS = 500


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What was done in one direction: operations, bytes, summed latency in s, operations whose latency was taken,
    and the histogram of completion latency (upper end in ns: operations)."""

    ios: int = 0
    bytes: int = 0
    latency_sum_s: float = 0.0
    latencies: int = 0
    histogram: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """About one second of load. A second in which nothing was done counts, with zeros."""

    duration_s: float
    counts: Mapping[str, Counts]


class FioError(StorageFailure):
    """fio reported an error: an I/O error, a file that cannot be made, a volume that is full."""


class SampleReader:
    """Turns successive documents into samples, each the difference of two; documents of the ramp yield none.

    `jobs` are the section names that count; fio names the job of each result. Raises FioError for a document that
    carries an error, and for one that lacks a job.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self._jobs = set(jobs)
        self._before: _Snapshot | None = None
        self._started_ms: dict[int, int] = {}
        self._loading: set[int] = set()
        self.fio_version = ""

    def read(self, document: Document) -> Sample | None:
        """The sample between the document before and this one.

        None where there is none: before the load and in the ramp, across the end of either, for the last few ms.
        """
        self.fio_version = str(document.get("fio version", self.fio_version))
        now = _snapshot(document, self._jobs)
        before, self._before = self._before, now
        loading = frozenset(self._loading)
        self._loading |= {number for number in range(len(now.jobs)) if self._is_loading(number, before, now)}
        if before is None or not loading or any(job.ios and each not in loading for each, job in enumerate(now.jobs)):
            return None
        if any(map(_restarted, before.jobs, now.jobs)):
            return None
        duration_s = (now.timestamp_ms - before.timestamp_ms) / 1000
        if duration_s < SHORTEST_SAMPLE_S:
            self._before = before  # the last document follows its forerunner by some ms
            return None
        first, last = before.counts, now.counts
        return Sample(duration_s=duration_s, counts={each: _difference(first[each], last[each]) for each in DIRECTIONS})

    def _is_loading(self, number: int, before: _Snapshot | None, now: _Snapshot) -> bool:
        """Whether a job, by its place in the document, has begun and its ramp is over.

        fio counts from anew when the ramp ends; where so much was done since that it does not show, the clock tells.
        The clock starts with the job: fio prints documents while it lays out files, too.
        """
        job = now.jobs[number]
        if before is not None and _restarted(before.jobs[number], job):
            return True
        if not job.ios:
            return False
        started_ms = self._started_ms.setdefault(number, now.timestamp_ms - job.runtime_ms)
        return now.ramp_s == 0 or now.timestamp_ms > started_ms + now.ramp_s * 1000 + RAMP_MARGIN_MS


@dataclass(frozen=True, kw_only=True)
class _Job:
    """What one job has done since it began or its ramp ended. Its runtime lacks what it was stalled for just now."""

    runtime_ms: int
    counts: Mapping[str, Counts]

    @property
    def ios(self) -> int:
        return sum(each.ios for each in self.counts.values())


@dataclass(frozen=True, kw_only=True)
class _Snapshot:
    timestamp_ms: int
    ramp_s: float
    jobs: tuple[_Job, ...]

    @property
    def counts(self) -> Mapping[str, Counts]:
        return {each: _sum([job.counts[each] for job in self.jobs]) for each in DIRECTIONS}


def _snapshot(document: Document, jobs: set[str]) -> _Snapshot:
    found = [job for job in document.get("jobs", []) if job.get("jobname") in jobs]
    missing = jobs - {job["jobname"] for job in found}
    if missing:
        raise FioError(f"fio's result lacks the job {', '.join(sorted(missing))}")
    for job in found:
        if job.get("error"):
            raise FioError(f"fio's job {job['jobname']} ended with error {job['error']}")
    options = [document.get("global options", {}), *(job.get("job options", {}) for job in found)]
    return _Snapshot(
        timestamp_ms=document["timestamp_ms"],
        ramp_s=max(seconds(each.get("ramp_time", "0")) for each in options),
        jobs=tuple(
            _Job(
                runtime_ms=max(job[each].get("runtime", 0) for each in ("read", "write")),
                counts={each: _counts(job.get(each, {})) for each in DIRECTIONS},
            )
            for job in found
        ),
    )


def _restarted(before: _Job, now: _Job) -> bool:
    """Whether fio has set the job's counts back to zero in between: then some are lower than they were."""
    if now.runtime_ms < before.runtime_ms:
        return True
    for each in DIRECTIONS:
        was, is_ = before.counts[each], now.counts[each]
        if is_.ios < was.ios or is_.bytes < was.bytes or is_.latencies < was.latencies:
            return True
        if any(is_.histogram.get(upper, 0) < count for upper, count in was.histogram.items()):
            return True
    return False


def _counts(direction: Mapping[str, Any]) -> Counts:
    total = direction.get("lat_ns") or {}
    completion = direction.get("clat_ns") or total
    return Counts(
        # fio 3.33 loses the number of fdatasyncs, but not that of their latencies
        ios=direction.get("total_ios") or total.get("N", 0),
        bytes=direction.get("io_bytes", 0),
        latency_sum_s=total.get("mean", 0.0) * total.get("N", 0) / 1e9,
        latencies=total.get("N", 0),
        histogram={int(upper): count for upper, count in (completion.get("bins") or {}).items()},
    )


def _sum(parts: Sequence[Counts]) -> Counts:
    histogram: Counter[int] = Counter()
    for part in parts:
        histogram.update(part.histogram)
    return Counts(
        ios=sum(part.ios for part in parts),
        bytes=sum(part.bytes for part in parts),
        latency_sum_s=sum(part.latency_sum_s for part in parts),
        latencies=sum(part.latencies for part in parts),
        histogram=histogram,
    )


def _difference(before: Counts, now: Counts) -> Counts:
    return Counts(
        ios=now.ios - before.ios,
        bytes=now.bytes - before.bytes,
        latency_sum_s=max(0.0, now.latency_sum_s - before.latency_sum_s),
        latencies=now.latencies - before.latencies,
        histogram={
            upper: count - before.histogram.get(upper, 0)
            for upper, count in now.histogram.items()
            if count > before.histogram.get(upper, 0)
        },
    )


_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(text: str) -> float:
    """A fio duration in s; a bare number is seconds. Raises ValueError for what fio would not take either."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if not match or match[2] not in _UNITS:
        raise ValueError(f"not a fio duration: {text!r}")
    return float(match[1]) * _UNITS[match[2]]
