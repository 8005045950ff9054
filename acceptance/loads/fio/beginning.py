"""When the load of a fio began that was not heard of at once: storage stood still before its first operation."""

from __future__ import annotations

import math
from dataclasses import replace

from acceptance.loads.fio.snapshots import DIRECTIONS, Counts, Job, Snapshot

SPEAKS_EACH_MS = 1000
LATE_MS = 250
"""by how much a document must be late to tell of a standstill, and not of a busy CPU"""


class Beginning:
    """Told from documents that may have come late.

    fio speaks each second, also while it lays out files, and is silent only while one of its jobs waits for storage. A
    document tells how long the jobs had run when fio set out to make it (`job_runtime`), not for how long it then had
    to wait for them; and, in whole seconds rounded up, how long ago fio itself began (`elapsed`). So each is a bound:
    they began no later. The earliest bound holds, and a standstill is told too short rather than too long.
    """

    def __init__(self) -> None:
        self._jobs_ms: float | None = None
        self._laid_out = False
        self._before: Snapshot | None = None
        self._heard_ms: float | None = None
        self._first: Snapshot | None = None
        self.ramp_ended = False
        """whether the jobs, which ran before the document heard last, count from anew in it"""

    def hear(self, now: Snapshot) -> None:
        """Take the next document. Before its jobs begin, fio tells of them as if they had begun with itself."""
        before, self._before = self._before, now
        counts_anew = before is not None and _ran_ms(now) < _ran_ms(before)
        ran = before is not None and (before.ios > 0 or self.waited(before))
        self.ramp_ended = counts_anew and ran
        if counts_anew and not ran and self._first is None:
            self._jobs_ms, self._laid_out = None, True
        bounds = [] if self._jobs_ms is None else [self._jobs_ms]
        bounds += [now.timestamp_ms - job.job_runtime_ms for job in now.jobs if job.job_runtime_ms is not None]
        if not self._laid_out:
            bounds += [now.timestamp_ms - (job.elapsed_s - 1) * 1000 for job in now.jobs if job.elapsed_s is not None]
        self._jobs_ms = min(bounds, default=None)

    def waited(self, now: Snapshot) -> bool:
        """Whether fio, when it made this document, had to wait for its jobs: then they run."""
        return now.timestamp_ms - _ran_ms(now) > self.jobs_ms + LATE_MS

    def ramp_is_over(self, now: Snapshot) -> bool:
        """Whether the time of the ramp was over when the document came, wherever the jobs stood."""
        return now.timestamp_ms > self.jobs_ms + now.ramp_s * 1000 + LATE_MS

    @property
    def jobs_ms(self) -> float:
        """When the jobs began, no later; infinite where nothing tells."""
        return math.inf if self._jobs_ms is None else self._jobs_ms

    def load_shows(self, now: Snapshot, before: Snapshot | None) -> None:
        """`now` is the first document of the load that counts; `before` the one before it, if any."""
        self._first, self._heard_ms = now, None if before is None else before.timestamp_ms

    def origin(self) -> Snapshot | None:
        """Return where fio began to count, with nothing done, if the first document of the load was late; else None.

        The first second, which a document in time would leave out, is in it with its operations and with its time: fio
        does not tell them apart.
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
    """For how long the job that began first had run, as far as fio tells."""
    return max((job.job_runtime_ms for job in snapshot.jobs if job.job_runtime_ms is not None), default=0.0)


def _idle(job: Job) -> Job:
    cpu_s = None if job.cpu_s is None else 0.0
    return replace(job, runtime_ms=0, counts={direction: Counts() for direction in DIRECTIONS}, cpu_s=cpu_s)
