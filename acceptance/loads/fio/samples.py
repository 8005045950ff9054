"""Per-second samples from fio's documents, which count from the start of the job (or the end of its ramp).

Time counts from the first document of the load, a second after it began. If that document is late, time counts from the
beginning of the load (or the end of its ramp): storage that stalls before its first operation is loaded too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.beginning import Beginning
from acceptance.loads.fio.documents import Document
from acceptance.loads.fio.histogram import PackedHistogram
from acceptance.loads.fio.snapshots import DIRECTIONS, Counts, FioError, Job, Snapshot, read_snapshot, seconds
from acceptance.loads.fio.versions import UnreadableResult, describe_unsupported, too_old

__all__ = ["DIRECTIONS", "Counts", "FioError", "Sample", "SampleReader", "seconds"]

SHORTEST_SAMPLE_S = 0.5
# A ramp ends with the first operation that completes after its time.
RAMP_MARGIN_MS = 500
# The largest error of a percentage with six decimals, over a runtime of days.
CPU_ROUNDING_S = 0.01
_NO_LATENCIES = PackedHistogram({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """About one second of load. A second without operations counts, with zeros."""

    duration_s: float
    counts: Mapping[str, Counts]
    cpu_s: float | None = None
    """CPU time, user and system, of the load's processes (s); None if unknown."""
    looks: int = 1
    """Documents of fio that were due in it: two if it begins with a load whose first document was late."""


class SampleReader:
    """A reader that turns successive documents into samples, each the difference of two; the ramp's yield none.

    `jobs` are the section names that count; fio names the job of each result. `first` is the snapshot before the first
    sample: no sample includes the operations before it.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self._jobs = set(jobs)
        self._before: Snapshot | None = None
        self.first: Snapshot | None = None
        self._started_ms: dict[int, int] = {}
        self._loading: set[int] = set()
        self._beginning = Beginning()
        self.fio_version = ""

    @property
    def runtime_s(self) -> float:
        """The duration of the load (s) at the end of the last sample, by fio's own count."""
        return 0.0 if self._before is None else max(job.runtime_ms for job in self._before.jobs) / 1000

    def read(self, document: Document) -> Sample | None:
        """Return the sample between the previous document and this one.

        Return None if there is none: before the load, in the ramp, across the end of either, or for the last few ms.

        Raises:
            FioError: the document reports an error, or lacks a job.
            UnreadableResult: the suite cannot read this version of fio, or this shape of document.
        """
        self.fio_version = str(document.get("fio version", ""))
        if too_old(self.fio_version):
            raise UnreadableResult(describe_unsupported(self.fio_version))
        now = read_snapshot(document, self._jobs)
        before, self._before = self._before, now
        loading = frozenset(self._loading)
        self._beginning.hear(now)
        self._loading |= {number for number in range(len(now.jobs)) if self._is_loading(number, before, now)}
        if not loading and self._loading:
            self._beginning.load_shows(now, before)
        if before is None or not loading or any(job.ios and place not in loading for place, job in enumerate(now.jobs)):
            return None
        if any(map(_has_restarted, before.jobs, now.jobs)):
            return None
        due = 1
        if self.first is None and (origin := self._beginning.origin()) is not None:
            due += _apart(before, now)
            before = origin
        if not _apart(before, now):
            self._before = before  # the last document follows the previous one after some ms
            return None
        self.first = self.first or before
        return _between(before, now, looks=due)

    def close(self) -> Sample | None:
        """Take the end of the documents; return the sample of a load that stalled throughout, with one document."""
        before, now = self._beginning.origin(), self._before
        if self.first is not None or before is None or now is None:
            return None
        self.first = before
        return _between(before, now, looks=1)

    def _is_loading(self, number: int, before: Snapshot | None, now: Snapshot) -> bool:
        """Return whether a job, by its place in the document, has begun and its ramp is over.

        fio restarts its counts when the ramp ends; if later operations hide the restart, the clock decides. The clock
        starts with the job, because fio also prints documents while it lays out files. If there was no operation yet,
        the jobs may wait for storage: then fio waits for them.
        """
        job = now.jobs[number]
        if before is not None and _has_restarted(before.jobs[number], job):
            return True
        if now.ramp_s and not self._loading and self._ramp_is_over(now):
            return True
        if not job.ios:
            return not now.ramp_s and not now.ios and self._beginning.had_to_wait(now)
        started_ms = self._started_ms.setdefault(number, now.timestamp_ms - job.runtime_ms)
        return now.ramp_s == 0 or now.timestamp_ms > started_ms + now.ramp_s * 1000 + RAMP_MARGIN_MS

    def _ramp_is_over(self, now: Snapshot) -> bool:
        """Return whether the ramp ended in, or together with, a stall, in which no operation can show its end."""
        beginning = self._beginning
        return beginning.ramp_ended or (beginning.had_to_wait(now) and beginning.ramp_is_over(now))


def _apart(before: Snapshot, now: Snapshot) -> bool:
    return now.timestamp_ms - before.timestamp_ms >= SHORTEST_SAMPLE_S * 1000


def _between(before: Snapshot, now: Snapshot, *, looks: int) -> Sample:
    first, last = before.counts, now.counts
    return Sample(
        duration_s=(now.timestamp_ms - before.timestamp_ms) / 1000,
        counts={direction: _difference(first[direction], last[direction]) for direction in DIRECTIONS},
        cpu_s=_cpu_between(before.cpu_s, now.cpu_s),
        looks=looks,
    )


def _cpu_between(before_s: float | None, now_s: float | None) -> float | None:
    """Return the CPU time between (s); None if unknown or negative, because then fio has restarted its count."""
    if before_s is None or now_s is None or now_s < before_s - CPU_ROUNDING_S:
        return None
    return max(0.0, now_s - before_s)


def _has_restarted(before: Job, now: Job) -> bool:
    """Return whether fio has reset the job's counts in between: then some are lower than before."""
    if now.runtime_ms < before.runtime_ms:
        return True
    for direction in DIRECTIONS:
        was, is_ = before.counts[direction], now.counts[direction]
        if is_.ios < was.ios or is_.bytes < was.bytes or is_.latencies < was.latencies:
            return True
        if any(is_.histogram.get(middle, 0) < count for middle, count in was.histogram.items()):
            return True
    return False


def _difference(before: Counts, now: Counts) -> Counts:
    histogram = {
        middle: count - before.histogram.get(middle, 0)
        for middle, count in now.histogram.items()
        if count > before.histogram.get(middle, 0)
    }
    return Counts(
        ios=now.ios - before.ios,
        bytes=now.bytes - before.bytes,
        latency_sum_s=max(0.0, now.latency_sum_s - before.latency_sum_s),
        latencies=now.latencies - before.latencies,
        histogram=PackedHistogram(histogram) if histogram else _NO_LATENCIES,
    )
