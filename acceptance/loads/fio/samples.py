"""Per-second samples out of fio's documents, which count from the start of the job (or the end of its ramp).

Time counts from the first document of the load, a second after it began. If that document is late, time counts from the
beginning of the load (or the end of its ramp): storage that stands still before its first operation is loaded all the
same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.beginning import Beginning
from acceptance.loads.fio.documents import Document
from acceptance.loads.fio.histogram import PackedHistogram
from acceptance.loads.fio.snapshots import DIRECTIONS, Counts, FioError, Job, Snapshot, read_snapshot, seconds
from acceptance.loads.fio.versions import UnreadableResult, too_old, unsupported

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
    looks: int = 1
    """documents of fio that were due in it: two if it begins with the load, whose first document was late"""


class SampleReader:
    """Turns successive documents into samples, each the difference of two; documents of the ramp yield none.

    `jobs` are the section names that count; fio names the job of each result. `first` is what the first sample follows:
    what was done before it is in no sample.
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
        """For how long the load had lasted, by fio's own count, where the last sample ended."""
        return 0.0 if self._before is None else max(job.runtime_ms for job in self._before.jobs) / 1000

    def read(self, document: Document) -> Sample | None:
        """The sample between the document before and this one.

        None where there is none: before the load and in the ramp, across the end of either, for the last few ms.

        Raises:
            FioError: the document carries an error, or lacks a job.
            UnreadableResult: it is of a fio, or of a shape, that the suite cannot read.
        """
        self.fio_version = str(document.get("fio version", ""))
        if too_old(self.fio_version):
            raise UnreadableResult(unsupported(self.fio_version))
        now = read_snapshot(document, self._jobs)
        before, self._before = self._before, now
        loading = frozenset(self._loading)
        self._beginning.hear(now)
        self._loading |= {number for number in range(len(now.jobs)) if self._is_loading(number, before, now)}
        if not loading and self._loading:
            self._beginning.load_shows(now, before)
        if before is None or not loading or any(job.ios and each not in loading for each, job in enumerate(now.jobs)):
            return None
        if any(map(_restarted, before.jobs, now.jobs)):
            return None
        due = 1
        if self.first is None and (origin := self._beginning.origin()) is not None:
            due += _apart(before, now)
            before = origin
        if not _apart(before, now):
            self._before = before  # the last document follows its forerunner by some ms
            return None
        self.first = self.first or before
        return _between(before, now, looks=due)

    def close(self) -> Sample | None:
        """There are no more documents. The sample of a load that stood still from first to last, and made one alone."""
        before, now = self._beginning.origin(), self._before
        if self.first is not None or before is None or now is None:
            return None
        self.first = before
        return _between(before, now, looks=1)

    def _is_loading(self, number: int, before: Snapshot | None, now: Snapshot) -> bool:
        """Whether a job, by its place in the document, has begun and its ramp is over.

        fio counts from anew when the ramp ends; where so much was done since that it does not show, the clock tells.
        The clock starts with the job: fio prints documents while it lays out files, too. Where nothing was done yet,
        the jobs may wait for storage: what shows it is that fio waits for them.
        """
        job = now.jobs[number]
        if before is not None and _restarted(before.jobs[number], job):
            return True
        if now.ramp_s and not self._loading and self._ramp_is_over(now):
            return True
        if not job.ios:
            return not now.ramp_s and not now.ios and self._beginning.waited(now)
        started_ms = self._started_ms.setdefault(number, now.timestamp_ms - job.runtime_ms)
        return now.ramp_s == 0 or now.timestamp_ms > started_ms + now.ramp_s * 1000 + RAMP_MARGIN_MS

    def _ramp_is_over(self, now: Snapshot) -> bool:
        """Whether it ended in, or together with, a standstill: storage did nothing in it from which to see that."""
        beginning = self._beginning
        return beginning.ramp_ended or (beginning.waited(now) and beginning.ramp_is_over(now))


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
    """What was taken in between; less than nothing is no number: fio has begun to count from anew."""
    if before_s is None or now_s is None or now_s < before_s - CPU_ROUNDING_S:
        return None
    return max(0.0, now_s - before_s)


def _restarted(before: Job, now: Job) -> bool:
    """Whether fio has set the job's counts back to zero in between: then some are lower than they were."""
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
        histogram=PackedHistogram(histogram) if histogram else _NOTHING,
    )
