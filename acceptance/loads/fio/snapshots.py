"""The content of one of fio's documents: the counts of every job since it began, or since its ramp ended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acceptance.loads.fio.documents import Document
from acceptance.loads.fio.versions import UnreadableResult
from acceptance.text.errors import StorageFailure

DIRECTIONS = ("read", "write", "sync")


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The counts of one direction: operations, bytes, total latency in s, operations whose latency was measured, and
    the histogram of completion latency (middle of the bin in ns: operations)."""

    ios: int = 0
    bytes: int = 0
    latency_sum_s: float = 0.0
    latencies: int = 0
    histogram: Mapping[int, int] = field(default_factory=dict)


class FioError(StorageFailure):
    """An error that fio reported: an I/O error, a file that cannot be created, a full volume."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """The counts of one job since it began or its ramp ended. Its runtime excludes a stall that still lasts."""

    runtime_ms: int
    counts: Mapping[str, Counts]
    cpu_s: float | None
    """CPU time, user and system (s); None if fio does not report it."""
    job_runtime_ms: float | None
    """Time since it began or its ramp ended, when fio began to create the document; the average of a group."""
    elapsed_s: int | None
    """Time since fio itself began, when the document was created; rounded up."""

    @property
    def ios(self) -> int:
        """The operations of all directions together."""
        return sum(count.ios for count in self.counts.values())


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The counts of one document. `jobs` are in the order in which fio lists them, clones one by one."""

    timestamp_ms: int
    ramp_s: float
    jobs: tuple[Job, ...]

    @property
    def ios(self) -> int:
        """The operations of all jobs and directions together."""
        return sum(job.ios for job in self.jobs)

    @property
    def counts(self) -> Mapping[str, Counts]:
        """The counts of all jobs together."""
        return {direction: _sum([job.counts[direction] for job in self.jobs]) for direction in DIRECTIONS}

    @property
    def cpu_s(self) -> float | None:
        """The CPU time of all jobs together (s); None unless fio reports each."""
        cpu_times_s = [job.cpu_s for job in self.jobs if job.cpu_s is not None]
        return sum(cpu_times_s) if len(cpu_times_s) == len(self.jobs) else None


def read_snapshot(document: Document, jobs: set[str]) -> Snapshot:
    """Return what the document reports of the jobs of these names.

    Raises:
        FioError: a job is missing or ended with an error.
        UnreadableResult: the document does not have the expected shape.
    """
    try:
        return _read(document, jobs)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableResult(f"fio's result has an unexpected structure: {error!r}") from error


def _read(document: Document, jobs: set[str]) -> Snapshot:
    entries = [job for job in document["jobs"] if job.get("jobname") in jobs]
    missing = jobs - {job["jobname"] for job in entries}
    if missing:
        raise FioError(f"fio's result lacks the job {', '.join(sorted(missing))}")
    for job in entries:
        if job.get("error"):
            raise FioError(f"fio's job {job['jobname']} ended with error {job['error']}")
    common = document.get("global options", {})
    options = [common | job.get("job options", {}) for job in entries]
    entry_counts = Counter(job["jobname"] for job in entries)
    return Snapshot(
        timestamp_ms=document["timestamp_ms"],
        ramp_s=max((seconds(option.get("ramp_time", "0")) for option in options), default=0.0),
        jobs=tuple(
            Job(
                runtime_ms=max(job[direction].get("runtime", 0) for direction in ("read", "write")),
                counts={direction: _counts(job[direction]) for direction in DIRECTIONS},
                cpu_s=_cpu_s(job),
                job_runtime_ms=_job_runtime_ms(job, processes=_processes(own, entry_counts[job["jobname"]])),
                elapsed_s=job.get("elapsed"),
            )
            for job, own in zip(entries, options, strict=True)
        ),
    )


def _processes(options: Mapping[str, str], entries: int) -> int:
    """Return how many processes one entry of the result represents.

    With `group_reporting`, which fio does not print, the clones of a section share one entry; otherwise each has one.
    """
    clones = options.get("numjobs", "1")
    return max(1, int(clones) // entries) if clones.isdecimal() else 1


def _job_runtime_ms(job: Mapping[str, Any], *, processes: int) -> float | None:
    """Return how long a process of the entry has run (ms): fio adds up `job_runtime` over the processes of a group."""
    total_ms = job.get("job_runtime")
    return None if total_ms is None else float(total_ms) / processes


def _cpu_s(job: Mapping[str, Any]) -> float | None:
    """Return the CPU time (s): fio prints it as percent of the job's time in ms, clones of a group added up."""
    if not {"usr_cpu", "sys_cpu", "job_runtime"} <= job.keys():
        return None
    return float(job["usr_cpu"] + job["sys_cpu"]) / 100 * float(job["job_runtime"]) / 1000


def _counts(direction: Mapping[str, Any]) -> Counts:
    total = direction.get("lat_ns") or {}
    completion = direction.get("clat_ns", {})
    bins = completion.get("bins") or total.get("bins") or {}  # of one of the two, by lat_percentiles, clat_percentiles
    latencies = total["N"] if total else 0
    return Counts(
        # fio 3.33 loses the number of fdatasyncs, but not that of their latencies
        ios=direction.get("total_ios") or latencies,
        bytes=direction.get("io_bytes", 0),
        latency_sum_s=total.get("mean", 0.0) * latencies / 1e9,
        latencies=latencies,
        histogram={int(middle): count for middle, count in bins.items()},
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


_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(text: str) -> float:
    """Return a fio duration in s; a bare number is seconds. Raises ValueError if fio would not accept it either."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if not match or match[2] not in _UNITS:
        raise ValueError(f"not a fio duration: {text!r}")
    return float(match[1]) * _UNITS[match[2]]
