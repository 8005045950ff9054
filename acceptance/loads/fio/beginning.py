"""The time at which a fio load began whose first document was late: storage stalled before its first operation."""

from __future__ import annotations

import math
from dataclasses import replace

from acceptance.loads.fio.snapshots import DIRECTIONS, Counts, Job, Snapshot

SPEAKS_EACH_MS = 1000
LATE_MS = 250
"""Milliseconds by which a document must be late to show a stall of the storage, and not a busy CPU"""


class Beginning:
    """The beginning of a load, derived from documents that may have been late.

    fio prints a document each second, also while it lays out files. It is silent only while one of its jobs waits for
    storage. A document reports how long the jobs had run when fio began to create it (`job_runtime`), not how long fio
    then waited for them. It also reports how long ago fio itself began (`elapsed`), in whole seconds rounded up. So
    each document gives a bound: the jobs began no later. The earliest bound counts, so a stall is reported too short
    rather than too long.
    """

    def __init__(self) -> None:
        self._jobs_ms: float | None = None
        self._laid_out = False
        self._before: Snapshot | None = None
        self._heard_ms: float | None = None
        self._first: Snapshot | None = None
        self.ramp_ended = False
        """True if the jobs ran before the latest document and restarted their counts in it."""

    def hear(self, now: Snapshot) -> None:
        """Take the next document. Before its jobs begin, fio reports them as if they had begun together with fio."""
        before, self._before = self._before, now
        counts_anew = before is not None and _ran_ms(now) < _ran_ms(before)
        ran = before is not None and (before.ios > 0 or self.had_to_wait(before))
        self.ramp_ended = counts_anew and ran
        if counts_anew and not ran and self._first is None:
            self._jobs_ms, self._laid_out = None, True
        bounds = [] if self._jobs_ms is None else [self._jobs_ms]
        bounds += [now.timestamp_ms - job.job_runtime_ms for job in now.jobs if job.job_runtime_ms is not None]
        if not self._laid_out:
            bounds += [now.timestamp_ms - (job.elapsed_s - 1) * 1000 for job in now.jobs if job.elapsed_s is not None]
        self._jobs_ms = min(bounds, default=None)

    def had_to_wait(self, now: Snapshot) -> bool:
        """Return whether fio had to wait for its jobs when it created this document: then they run."""
        return now.timestamp_ms - _ran_ms(now) > self.jobs_ms + LATE_MS

    def ramp_is_over(self, now: Snapshot) -> bool:
        """Return whether the ramp time was over when the document arrived, whatever the jobs had done."""
        return now.timestamp_ms > self.jobs_ms + now.ramp_s * 1000 + LATE_MS

    @property
    def jobs_ms(self) -> float:
        """The latest time at which the jobs can have begun; infinite if unknown."""
        return math.inf if self._jobs_ms is None else self._jobs_ms

    def load_shows(self, now: Snapshot, before: Snapshot | None) -> None:
        """Take `now` as the first document of the load that counts; `before` is the document before it, if any."""
        self._first, self._heard_ms = now, None if before is None else before.timestamp_ms

    def origin(self) -> Snapshot | None:
        """Return an empty snapshot of when fio began to count if the load's first document was late; else None.

        It includes the first second, with its operations and its time, which a punctual document would exclude: fio
        does not report them separately.
        """
        if self._first is None or self._jobs_ms is None:
            return None
        counts_ms = self._jobs_ms + self._first.ramp_s * 1000
        heard_ms = self._jobs_ms if self._heard_ms is None else self._heard_ms
        began_ms, first_ms = max(counts_ms, heard_ms), self._first.timestamp_ms
        if first_ms - began_ms < LATE_MS or first_ms - heard_ms < SPEAKS_EACH_MS + LATE_MS:
            return None
        return replace(self._first, timestamp_ms=round(began_ms), jobs=tuple(map(_idle, self._first.jobs)))


def _ran_ms(snapshot: Snapshot) -> float:
    """Return how long the job that began first had run (ms), as far as fio reports it."""
    return max((job.job_runtime_ms for job in snapshot.jobs if job.job_runtime_ms is not None), default=0.0)


def _idle(job: Job) -> Job:
    cpu_s = None if job.cpu_s is None else 0.0
    return replace(job, runtime_ms=0, counts={direction: Counts() for direction in DIRECTIONS}, cpu_s=cpu_s)
