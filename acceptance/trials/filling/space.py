"""What a pool has used before a volume is filled, while it is full, and once its files, or it, are deleted."""

from __future__ import annotations

from collections.abc import Mapping

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
UNKNOWN = "nothing tells how much of the pool is used: name a target file with pool: (docs/full-volumes.md)"
SHOWN_WITHIN_S = 60.0
"""how old what a pool tells may be"""


class Space:
    """Of the pool of that plan; `timeout_s` is how long it may take to be given back."""

    def __init__(self, plan: PoolPlan, *, timeout_s: float) -> None:
        self._plan = plan
        self._timeout_s = timeout_s
        self._before = self._new = self._full = self._beside = self._written = 0

    def used(self) -> int:
        """Bytes. Raises EnvironmentFailure where the command fails or prints anything else."""
        done = run_command(self._plan.used, values={}, timeout_s=self._plan.timeout_s)
        if done.status != 0 or not done.stdout.strip().isdigit():
            raise done.failed("0 and a whole number, the bytes that the pool has used")
        return int(done.stdout)

    def begin(self) -> None:
        """Before there is any volume."""
        self._before = self.used()

    def with_another(self, written: int) -> None:
        """Once there is another volume with so many bytes, and before there is the one that is filled."""
        self._beside, self._new = written, self._used_with(written)

    def when_full(self, written: int) -> None:
        """With so many bytes on the volume: until half of them show, or it is clear that they will not."""
        self._written, self._full = written, self._used_with(written)

    def _used_with(self, written: int) -> int:
        try:
            return wait_for(
                "the pool to show what was written",
                look=self.used,
                ready=lambda used: used - self._before >= SHOWN_LEAST * written,
                state=used_in_words,
                timeout_s=SHOWN_WITHIN_S,
            )
        except StorageFailure:
            return self.used()

    @property
    def for_each_byte(self) -> float:
        """Bytes of the pool for a byte that is written: those by which the full volume took more than the almost empty
        one. It is about 0 where a volume is given all its space when it is made, 3 with three replicas."""
        more = (self._full - self._new) - (self._new - self._before)
        return more / max(self._written - self._beside, 1)

    @property
    def trims(self) -> bool:
        """Whether the target names a command that trims a volume."""
        return bool(self._plan.trim)

    def trim(self, values: Mapping[str, str]) -> None:
        """Run it, filled in with `values`. Raises EnvironmentFailure where it fails."""
        done = run_command(self._plan.trim, values=values, timeout_s=self._plan.timeout_s)
        if done.status != 0:
            raise done.failed("0, once the volume is trimmed")

    def falls(self, before: int, *, by: float) -> int:
        """What the pool has used once that is so much less than `before`.

        Raises StorageFailure when it is not at the deadline.
        """
        return wait_for(
            "the space of deleted files to be given back",
            look=self.used,
            ready=lambda used: before - used >= by,
            state=used_in_words,
            timeout_s=self._timeout_s,
        )

    def finding(self) -> Finding:
        """After all volumes were deleted."""
        taken = self._full - self._before
        before, full = used_in_words(self._before), used_in_words(self._full)
        story = f"the pool had {before} before, {full} while the volume was full"
        if taken < SHOWN_LEAST * self._written:
            written = format_quantity(self._written, unit="B")
            return _not_tried(f"{story}, with {written} written: the target's command shows another pool")
        try:
            after = wait_for(
                "the space of the deleted volumes to be given back",
                look=self.used,
                ready=lambda used: used - self._before <= KEPT_MOST * taken,
                state=used_in_words,
                timeout_s=self._timeout_s,
            )
        except StorageFailure:
            stayed = f"{story}, and still {used_in_words(self.used())} {self._timeout_s:.0f} s after all was deleted"
            return Finding(aspect="space", status="failed", how=stayed)
        return Finding(aspect="space", status="held", how=f"{story}, and {used_in_words(after)} after all was deleted")


def with_space(record: FullVolumeRecord, space: Space | None, *, kept: bool) -> FullVolumeRecord:
    """With what became of the space once the volumes were deleted; `kept`: they were not.

    Raises EnvironmentFailure where the target's command fails.
    """
    if space is None:
        found = _not_tried(UNKNOWN)
    else:
        found = _not_tried("it is kept (--storage-keep)") if kept else space.finding()
    return record.model_copy(update={"findings": [*record.findings, found]})


def _not_tried(how: str) -> Finding:
    return Finding(aspect="space", status="not_tried", how=how)


def used_in_words(used: int) -> str:
    """So many bytes of a pool, for a sentence."""
    return f"{format_quantity(used, unit='B')} used"
