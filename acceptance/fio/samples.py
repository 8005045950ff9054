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
    """Turns successive documents into samples; documents of the ramp yield none.

    `jobs` are the section names that count; fio names the job of each result. Raises FioError for a document that
    carries an error, and for one that lacks a job.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self._jobs = set(jobs)
        self._before: _Snapshot | None = None
        self._ramp_over = False
        self.fio_version = ""

    def read(self, document: Document) -> Sample | None:
        """The sample between the document before and this one, or None in the ramp and for the last few ms."""
        self.fio_version = str(document.get("fio version", self.fio_version))
        now = _snapshot(document, self._jobs)
        before, self._before = self._before, now
        restarted = before is not None and (now.runtime_ms < before.runtime_ms or now.ios < before.ios)
        if not self._ramp_over:
            # fio counts from anew when the ramp ends; where too little was done to see that, its clock tells.
            self._ramp_over = restarted or now.elapsed_s > now.ramp_s + 1 or now.ramp_s == 0
            if restarted or (before is None and now.ramp_s == 0):
                return _sample(None, now, now.runtime_ms / 1000)
            return None
        if before is None or restarted:
            return _sample(None, now, now.runtime_ms / 1000)
        duration_s = (now.timestamp_ms - before.timestamp_ms) / 1000
        if duration_s < SHORTEST_SAMPLE_S:
            self._before = before  # the last document follows its forerunner by some ms
            return None
        return _sample(before, now, duration_s)


@dataclass(frozen=True, kw_only=True)
class _Snapshot:
    timestamp_ms: int
    runtime_ms: int
    elapsed_s: float
    ramp_s: float
    counts: Mapping[str, Counts]

    @property
    def ios(self) -> int:
        return sum(each.ios for each in self.counts.values())


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
        runtime_ms=max(job[each].get("runtime", 0) for job in found for each in ("read", "write")),
        elapsed_s=max(job.get("elapsed", 0) for job in found),
        ramp_s=max(seconds(each.get("ramp_time", "0")) for each in options),
        counts={each: _sum([_counts(job.get(each, {})) for job in found]) for each in DIRECTIONS},
    )


def _counts(direction: Mapping[str, Any]) -> Counts:
    total = direction.get("lat_ns") or {}
    completion = direction.get("clat_ns") or total
    return Counts(
        ios=direction.get("total_ios", 0),
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


def _sample(before: _Snapshot | None, now: _Snapshot, duration_s: float) -> Sample | None:
    if duration_s < SHORTEST_SAMPLE_S:
        return None
    nothing = Counts()
    counts = {each: _difference(before.counts[each] if before else nothing, now.counts[each]) for each in DIRECTIONS}
    return Sample(duration_s=duration_s, counts=counts)


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
