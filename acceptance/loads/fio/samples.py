"""Per-second samples out of fio's documents, which count from the start of the job (or the end of its ramp)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.documents import Document
from acceptance.loads.fio.histogram import PackedHistogram
from acceptance.loads.fio.snapshots import DIRECTIONS, Counts, FioError, Job, Snapshot, read_snapshot, seconds

__all__ = ["DIRECTIONS", "Counts", "FioError", "Sample", "SampleReader", "seconds"]

SHORTEST_SAMPLE_S = 0.5
# A ramp ends with the first operation that completes after its time.
RAMP_MARGIN_MS = 500
# A percentage with six decimals of a runtime of days is off by no more than this.
CPU_ROUNDING_S = 0.01
_NOTHING = PackedHistogram({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """About one second of load. A second in which nothing was done counts, with zeros."""

    duration_s: float
    counts: Mapping[str, Counts]
    cpu_s: float | None = None
    """CPU time, user and system, that the load's processes took (s); None where that is not known"""


class SampleReader:
    """Turns successive documents into samples, each the difference of two; documents of the ramp yield none.

    `jobs` are the section names that count; fio names the job of each result. Raises FioError for a document that
    carries an error, and for one that lacks a job. `first` is the document that the first sample follows: what was done
    before it is in no sample.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self._jobs = set(jobs)
        self._before: Snapshot | None = None
        self.first: Snapshot | None = None
        self._started_ms: dict[int, int] = {}
        self._loading: set[int] = set()
        self.fio_version = ""

    @property
    def runtime_s(self) -> float:
        """For how long the load had lasted, by fio's own count, where the last sample ended."""
        return 0.0 if self._before is None else max(job.runtime_ms for job in self._before.jobs) / 1000

    def read(self, document: Document) -> Sample | None:
        """The sample between the document before and this one.

        None where there is none: before the load and in the ramp, across the end of either, for the last few ms.
        """
        self.fio_version = str(document.get("fio version", self.fio_version))
        now = read_snapshot(document, self._jobs)
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
        self.first = self.first or before
        first, last = before.counts, now.counts
        return Sample(
            duration_s=duration_s,
            counts={each: _difference(first[each], last[each]) for each in DIRECTIONS},
            cpu_s=_cpu_between(before.cpu_s, now.cpu_s),
        )

    def _is_loading(self, number: int, before: Snapshot | None, now: Snapshot) -> bool:
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


def _cpu_between(before_s: float | None, now_s: float | None) -> float | None:
    """What was taken in between; less than nothing is no number: fio has begun to count from anew."""
    if before_s is None or now_s is None or now_s < before_s - CPU_ROUNDING_S:
        return None
    return max(0.0, now_s - before_s)


def _restarted(before: Job, now: Job) -> bool:
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


def _difference(before: Counts, now: Counts) -> Counts:
    histogram = {
        upper: count - before.histogram.get(upper, 0)
        for upper, count in now.histogram.items()
        if count > before.histogram.get(upper, 0)
    }
    return Counts(
        ios=now.ios - before.ios,
        bytes=now.bytes - before.bytes,
        latency_sum_s=max(0.0, now.latency_sum_s - before.latency_sum_s),
        latencies=now.latencies - before.latencies,
        histogram=PackedHistogram(histogram) if histogram else _NOTHING,
    )
