"""What a pool has used before a volume is filled, while it is full, and once it is deleted: by the target's command."""

from __future__ import annotations

from acceptance.cluster.waiting import wait_for
from acceptance.process.commands import run_command
from acceptance.results.filling import Finding, FullVolumeRecord
from acceptance.settings.target_plans import PoolPlan
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity

SHOWN_LEAST = 0.5
"""of what was written must show in the pool, or the command is not of the pool that the volume is in"""
KEPT_MOST = 0.1
"""of what the volumes took may stay when they are deleted. Proposed by this project, 2026-11."""
SHOWN_WITHIN_S = 60.0
"""how old what a pool tells may be"""


class Space:
    """Of the pool of that plan; `timeout_s` is how long it may take to be given back."""

    def __init__(self, plan: PoolPlan, *, timeout_s: float) -> None:
        self._plan = plan
        self._timeout_s = timeout_s
        self._before = self._full = self._written = 0

    def used(self) -> int:
        """Bytes. Raises EnvironmentFailure where the command fails or prints anything else."""
        done = run_command(self._plan.used, values={}, timeout_s=self._plan.timeout_s)
        if done.status != 0 or not done.stdout.strip().isdigit():
            raise done.failed("0 and a whole number, the bytes that the pool has used")
        return int(done.stdout)

    def begin(self) -> None:
        """Before there is any volume."""
        self._before = self.used()

    def when_full(self, written: int) -> None:
        """With so many bytes on the volume: until half of them show, or it is clear that they will not."""
        self._written = written
        try:
            self._full = wait_for(
                "the pool to show what was written",
                look=self.used,
                ready=lambda used: used - self._before >= SHOWN_LEAST * written,
                state=_in_words,
                timeout_s=SHOWN_WITHIN_S,
            )
        except StorageFailure:
            self._full = self.used()

    def finding(self) -> Finding:
        """After all volumes were deleted."""
        taken = self._full - self._before
        story = f"the pool had {_in_words(self._before)} before, {_in_words(self._full)} while the volume was full"
        if taken < SHOWN_LEAST * self._written:
            written = format_quantity(self._written, unit="B")
            return _not_tried(f"{story}, with {written} written: the target's command shows another pool")
        try:
            after = wait_for(
                "the space of the deleted volumes to be given back",
                look=self.used,
                ready=lambda used: used - self._before <= KEPT_MOST * taken,
                state=_in_words,
                timeout_s=self._timeout_s,
            )
        except StorageFailure:
            stayed = f"{story}, and still {_in_words(self.used())} {self._timeout_s:.0f} s after all was deleted"
            return Finding(aspect="space", status="failed", how=stayed)
        return Finding(aspect="space", status="held", how=f"{story}, and {_in_words(after)} after all was deleted")


def with_space(record: FullVolumeRecord, space: Space | None, *, kept: bool) -> FullVolumeRecord:
    """With what became of the space once the volumes were deleted; `kept`: they were not.

    Raises EnvironmentFailure where the target's command fails.
    """
    if space is None:
        found = _not_tried(
            "nothing tells how much of the pool is used: name a target file with pool: (docs/full-volumes.md)"
        )
    else:
        found = _not_tried("it is kept (--storage-keep)") if kept else space.finding()
    return record.model_copy(update={"findings": [*record.findings, found]})


def _not_tried(how: str) -> Finding:
    return Finding(aspect="space", status="not_tried", how=how)


def _in_words(used: int) -> str:
    return f"{format_quantity(used, unit='B')} used"
