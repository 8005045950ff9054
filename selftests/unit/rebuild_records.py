"""Records of rebuilds for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from acceptance.measuring.figures import figure
from acceptance.results.rebuilds import (
    ForegroundRecord,
    LoadPoint,
    RatePoint,
    RebuildRecord,
    SmallerRebuild,
    TimedRebuild,
)
from acceptance.statistics.step_analyses import ONE_LOOK_CONFIDENCE as CONFIDENCE
from acceptance.statistics.two_sizes import RepeatedTiming
from acceptance.trials.rebuild.model import largest_volumes, projected_volumes

NOW = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
GI = 1024**3


def timed(seconds: float, *, exact_to_s: float = 1.0, rates: Sequence[RatePoint] = ()) -> TimedRebuild:
    """A rebuild that was seen to go on 2 s after its trigger."""
    started = NOW + timedelta(seconds=2)
    return TimedRebuild(
        triggered=NOW,
        started=started,
        finished=started + timedelta(seconds=seconds),
        seconds=seconds,
        uncertainty_s=exact_to_s,
        trigger="replica r-3 deleted",
        rates=list(rates),
    )


def foreground(
    *, iops: tuple[float, float] = (1000, 400), p99_s: tuple[float, float] | None = (0.002, 0.01)
) -> ForegroundRecord:
    """What was done before and during, with some noise."""
    noise = (0.97, 1.0, 1.03, 1.0, 0.98, 1.02, 1.0, 1.0)

    def around(mean: float) -> Any:
        return figure([mean * share for share in noise], confidence=CONFIDENCE)

    return ForegroundRecord(
        iops_before=around(iops[0]),
        iops_during=around(iops[1]),
        p99_before_s=None if p99_s is None else around(p99_s[0]),
        p99_during_s=None if p99_s is None else around(p99_s[1]),
        batch_s=2,
        points=[LoadPoint(at_s=-1, iops=iops[0]), LoadPoint(at_s=1, iops=iops[1]), LoadPoint(at_s=30, iops=iops[1])],
    )


def record_of_two(
    smaller: Sequence[TimedRebuild],
    larger: Sequence[TimedRebuild],
    *,
    sizes: tuple[int, int] = (5 * GI, 20 * GI),
    snapshots: int = 1,
) -> RebuildRecord:
    """The same with a smaller volume rebuilt before it, as the runner makes it."""
    held = SmallerRebuild(size=sizes[0], rebuilds=list(smaller))
    times = [
        RepeatedTiming(size=size, seconds=[rebuild.seconds for rebuild in rebuilds])
        for size, rebuilds in zip(sizes, (smaller, larger), strict=True)
    ]
    largest = projected_volumes(*times, time_limit_s=86400.0, snapshots=snapshots, confidence=CONFIDENCE)
    return record(*larger, size=sizes[1], snapshots=snapshots, smaller=held, largest_volume=largest)


def record(*rebuilds: TimedRebuild, size: int = 2 * GI, snapshots: int = 1, **more: Any) -> RebuildRecord:
    """Of a volume of the class `fast` that is full of data; 2 GiB in 31 s where nothing else is said."""
    found = rebuilds or (timed(31.0),)
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "pattern": "full-data",
        "driver": "longhorn",
        "size": size,
        "snapshots": snapshots,
        "time_limit_s": 86400.0,
        "confidence": CONFIDENCE,
        "volume": "pvc-1",
        "node": "node-1",
        "rebuilds": list(found),
        "largest_volume": largest_volumes(
            size,
            [each.seconds for each in found],
            time_limit_s=86400.0,
            snapshots=snapshots,
            confidence=CONFIDENCE,
        ),
        "foreground": foreground(),
        "foreground_missing": None,
        "settings": {"numberOfReplicas": "3"},
        "warnings": [],
    }
    return RebuildRecord(**(fields | more))
