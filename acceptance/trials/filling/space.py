"""The used bytes of a pool before a volume is filled, while it is full, and once its files, or the volume, are
deleted."""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.cluster.waiting import wait_for
from acceptance.process.commands import run_command
from acceptance.results.filling import Finding, FullVolumeRecord
from acceptance.settings.target_plans import PoolPlan
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.pool_growth import SHOWN_WITHIN_S

SHOWN_LEAST = 0.5
"""The share of the written bytes that must show in the pool; otherwise the command is not of the pool that the volume
is in."""
KEPT_MOST = 0.1
"""The share of the bytes used by the volumes that may remain once they are deleted. Proposed by this project,
2026-11."""
UNKNOWN = "no command reports the used space of the pool: name a target file with pool: (docs/full-volumes.md)"


class Space:
    """The used bytes of the pool of that plan; `timeout_s` is how long it may take until space is given back."""

    def __init__(self, plan: PoolPlan, *, timeout_s: float) -> None:
        self._plan = plan
        self._timeout_s = timeout_s
        self._before = self._new = self._full = self._beside = self._written_bytes = 0

    def used_bytes(self) -> int:
        """Return the bytes that the pool has used. Raises EnvironmentFailure if the command fails or prints anything
        else."""
        run = run_command(self._plan.usage, values={}, timeout_s=self._plan.timeout_s)
        if run.status != 0 or not run.stdout.strip().isdigit():
            raise run.failure("0 and a whole number: the used bytes of the pool")
        return int(run.stdout)

    def begin(self) -> None:
        """Note the used bytes before there is any volume."""
        self._before = self.used_bytes()

    def with_another(self, written_bytes: int) -> None:
        """Note the used bytes with another volume that holds `written_bytes`, before there is the one that is
        filled."""
        self._beside, self._new = written_bytes, self._used_with(written_bytes)

    def when_full(self, written_bytes: int) -> None:
        """Note the used bytes with `written_bytes` on the volume: once half of them show, or it is clear that they will
        not."""
        self._written_bytes, self._full = written_bytes, self._used_with(written_bytes)

    def _used_with(self, written_bytes: int) -> int:
        try:
            return wait_for(
                "the pool to report the written data",
                look=self.used_bytes,
                ready=lambda used_bytes: used_bytes - self._before >= SHOWN_LEAST * written_bytes,
                state=used_in_words,
                timeout_s=SHOWN_WITHIN_S,
            )
        except StorageFailure:
            return self.used_bytes()

    @property
    def for_each_byte(self) -> float:
        """The bytes of the pool for each written byte: those by which the full volume took more than the almost empty
        one. About 0 if a volume gets all its space when it is created, 3 with three replicas."""
        more = (self._full - self._new) - (self._new - self._before)
        return more / max(self._written_bytes - self._beside, 1)

    @property
    def trims(self) -> bool:
        """True if the target names a command that trims a volume."""
        return bool(self._plan.trim)

    def trim(self, values: Mapping[str, str]) -> None:
        """Run the command that trims, filled in with `values`. Raises EnvironmentFailure if it fails."""
        run = run_command(self._plan.trim, values=values, timeout_s=self._plan.timeout_s)
        if run.status != 0:
            raise run.failure("0, once the volume is trimmed")

    def falls(self, before: int, *, by: float) -> int:
        """Wait until the pool has used `by` bytes less than `before`; return the used bytes.

        Raises StorageFailure if they are not down at the deadline.
        """
        return wait_for(
            "the pool to reclaim the space of deleted files",
            look=self.used_bytes,
            ready=lambda used_bytes: before - used_bytes >= by,
            state=used_in_words,
            timeout_s=self._timeout_s,
        )

    def finding(self) -> Finding:
        """Return the finding on the space after all volumes were deleted."""
        taken_bytes = self._full - self._before
        before, full = used_in_words(self._before), used_in_words(self._full)
        story = f"the pool had {before} before and {full} while the volume was full"
        if taken_bytes < SHOWN_LEAST * self._written_bytes:
            written_size = format_quantity(self._written_bytes, unit="B")
            return _not_tried(f"{story}, after {written_size} were written: the target's command reports another pool")
        try:
            after = wait_for(
                "the pool to reclaim the space of the deleted volumes",
                look=self.used_bytes,
                ready=lambda used_bytes: used_bytes - self._before <= KEPT_MOST * taken_bytes,
                state=used_in_words,
                timeout_s=self._timeout_s,
            )
        except StorageFailure:
            remaining = used_in_words(self.used_bytes())
            how = f"{story}; {self._timeout_s:.0f} s after all volumes were deleted it still had {remaining}"
            return Finding(aspect="space", status="failed", how=how)
        how = f"{story}; after all volumes were deleted it had {used_in_words(after)}"
        return Finding(aspect="space", status="held", how=how)


def with_space(record: FullVolumeRecord, space: Space | None, *, is_kept: bool) -> FullVolumeRecord:
    """Return the record with what became of the space once the volumes were deleted; `is_kept`: they were not.

    Raises EnvironmentFailure if the target's command fails.
    """
    if space is None:
        finding = _not_tried(UNKNOWN)
    else:
        finding = _not_tried("the volumes are kept (--storage-keep)") if is_kept else space.finding()
    return record.model_copy(update={"findings": [*record.findings, finding]})


def _not_tried(how: str) -> Finding:
    return Finding(aspect="space", status="not_tried", how=how)


def used_in_words(used_bytes: int) -> str:
    """Return the bytes of a pool for a sentence."""
    return f"{format_quantity(used_bytes, unit='B')} used"
