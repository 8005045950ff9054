"""Measures the rebuilds of each data pattern on each class once, however often that is requested."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acceptance.cluster.workspace import Workspace
from acceptance.measuring.windows import Window
from acceptance.process.once import Once
from acceptance.results.rebuilds import ForegroundRecord, Pattern, RebuildRecord, SmallerRebuild, TimedRebuild
from acceptance.results.scaling import Figure
from acceptance.statistics.step_analyses import ONE_LOOK_CONFIDENCE
from acceptance.statistics.two_sizes import RepeatedTiming
from acceptance.text.quantities import format_quantity
from acceptance.trials import Say
from acceptance.trials.rebuild.driver import RebuildDriver, ReplicaRebuild
from acceptance.trials.rebuild.findings import impact_of, warnings
from acceptance.trials.rebuild.following import Timeouts, follow_rebuild
from acceptance.trials.rebuild.foreground import Foreground
from acceptance.trials.rebuild.model import largest_volumes, projected_volumes
from acceptance.trials.rebuild.restore import restore
from acceptance.trials.rebuild.volume import PatternVolume

_MIB = 1024**2
SETTLE_S, BEFORE_S = 3, 15
"""Seconds of load before each trigger: those that are not counted, and those that the rebuild is compared with."""


@dataclass(frozen=True, kw_only=True)
class RebuildSettings:
    """The settings of rebuilds. `sizes` of the data, in bytes, by pattern; `repeats`: rebuilds to time; `snapshots`: of
    the largest volume.

    `smaller`: the second size, as a share of each of `sizes`; 0 for none. `begin_s`, `end_s`: how long a rebuild may
    take to begin, and to end. `node`: where the volume is used, None leaves that to the scheduler. `keep`: keep the
    volume of a rebuild that failed.
    """

    sizes: Mapping[Pattern, int]
    repeats: int
    snapshots: int
    time_limit_s: float
    begin_s: float
    end_s: float
    smaller: float = 0.0
    node: str | None = None
    keep: bool = False


def smaller_of(size: int, *, share: float) -> int:
    """Return the second size, in bytes: that share of `size`, in whole MiB; 0 if no share is requested."""
    return math.ceil(size * share / _MIB) * _MIB


@dataclass(frozen=True, kw_only=True)
class _OfSize:
    """The rebuilds of one volume; fields as those of `RebuildRecord`."""

    size: int
    rebuilds: list[TimedRebuild]
    volume: str
    node: str
    foreground: ForegroundRecord | None
    foreground_missing: str | None
    settings: dict[str, str]
    resolution_s: float

    @property
    def repetition(self) -> RepeatedTiming:
        return RepeatedTiming(size=self.size, seconds=[rebuild.seconds for rebuild in self.rebuilds])


class RebuildRunner:
    """All rebuilds of a session. `driver_of` chooses the driver for a class, by name; `keep` gets each record, once."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: RebuildSettings,
        driver_of: Callable[[str], RebuildDriver],
        say: Say,
        keep: Callable[[RebuildRecord], object],
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._driver_of = driver_of
        self._say = say
        self._records = Once(self._measure, keep=keep)

    def record(self, storage_class: str, pattern: Pattern) -> RebuildRecord:
        """Return the record of the rebuilds of the pattern on the class.

        Raises Unsupported if the class has no replicas, NotTried without a driver, StorageFailure if a rebuild fails,
        EnvironmentFailure for the rest. Every caller gets the same error.
        """
        return self._records((storage_class, pattern))

    def _measure(self, key: tuple[str, Pattern]) -> RebuildRecord:
        storage_class, pattern = key
        settings, driver = self._settings, self._driver_of(storage_class)
        driver.require_ready()
        size = settings.sizes[pattern]
        # The smaller one first: if storage is faster at first, from credits, that falls on the smaller one, and shows.
        smaller_size = smaller_of(size, share=settings.smaller) if driver.of_one_volume else 0
        smaller = self._of_size(driver, storage_class, pattern, smaller_size) if smaller_size else None
        larger = self._of_size(driver, storage_class, pattern, size)
        return RebuildRecord(
            storage_class=storage_class,
            pattern=pattern,
            driver=driver.name,
            size=larger.size,
            snapshots=settings.snapshots,
            time_limit_s=settings.time_limit_s,
            confidence=ONE_LOOK_CONFIDENCE,
            volume=larger.volume,
            node=larger.node,
            rebuilds=larger.rebuilds,
            smaller=None if smaller is None else SmallerRebuild(size=smaller.size, rebuilds=smaller.rebuilds),
            largest_volume=self._largest(smaller, larger),
            foreground=larger.foreground,
            foreground_missing=larger.foreground_missing,
            settings=larger.settings,
            resolution_s=larger.resolution_s,
            warnings=warnings([*(smaller.rebuilds if smaller else []), *larger.rebuilds]),
        )

    def _largest(self, smaller: _OfSize | None, larger: _OfSize) -> Figure:
        settings = self._settings
        more: dict[str, Any] = {
            "time_limit_s": settings.time_limit_s,
            "snapshots": settings.snapshots,
            "confidence": ONE_LOOK_CONFIDENCE,
        }
        if smaller is None:
            return largest_volumes(larger.size, larger.repetition.seconds, **more)
        return projected_volumes(smaller.repetition, larger.repetition, **more)

    def _of_size(self, driver: RebuildDriver, storage_class: str, pattern: Pattern, size: int) -> _OfSize:
        """Create a volume with that much data, and rebuild its replica."""
        settings = self._settings
        volume = PatternVolume(
            self._workspace,
            storage_class=storage_class,
            pattern=pattern,
            size=size,
            name=("rebuild", pattern, storage_class, *([] if size == settings.sizes[pattern] else ["smaller"])),
            node=settings.node,
            keep=settings.keep,
            say=self._say,
        )
        # The work that a rebuild leaves behind may take as long as the rebuild, before the next one.
        longest_s = math.ceil(settings.repeats * (settings.begin_s + 2 * settings.end_s + 2 * BEFORE_S))
        with volume:
            with volume.foreground(longest_s=longest_s) as foreground:
                target = volume.target()
                rebuild = driver.rebuild_of(target)
                rebuild.require_whole()
                about = f"rebuild of a replica of {pattern} on {storage_class}"
                if settings.smaller and driver.of_one_volume:
                    about += f", {format_quantity(size, unit='B')}"
                rebuilds, before = self._rebuild(rebuild, foreground, about=about, size=size)
                of_storage, amount = rebuild.settings(), rebuild.rebuilt_bytes()
            load, unknown = impact_of(foreground, before=before, rebuilds=rebuilds)
            return _OfSize(
                size=amount or size,
                rebuilds=rebuilds,
                volume=target.volume,
                node=foreground.node,
                foreground=load,
                foreground_missing=unknown,
                settings=of_storage,
                resolution_s=rebuild.resolution_s,
            )

    def _rebuild(
        self, rebuild: ReplicaRebuild, foreground: Foreground, *, about: str, size: int
    ) -> tuple[list[TimedRebuild], list[Window]]:
        """Do all rebuilds; return them, and the time before each that it is compared with."""
        settings = self._settings
        timeouts = Timeouts(begin_s=settings.begin_s, end_s=settings.end_s)
        rebuilds: list[TimedRebuild] = []
        before: list[Window] = []
        for number in range(settings.repeats):
            if number:
                self._say(f"{about}: waiting until the storage has finished the previous rebuild")
                rebuild.wait_settled()
            self._say(f"{about}: {BEFORE_S} s of synchronous writes before the rebuild")
            if foreground.error is None:
                foreground.load_for(SETTLE_S + BEFORE_S)
            with restore(rebuild, self._workspace):
                name = about if settings.repeats == 1 else f"{about}, {number + 1} of {settings.repeats}"
                rebuilds.append(follow_rebuild(rebuild, about=name, size=size, timeouts=timeouts, say=self._say))
            end_s = rebuilds[-1].triggered.timestamp()
            before.append(Window(start_s=end_s - BEFORE_S, end_s=end_s))
        return rebuilds, before
