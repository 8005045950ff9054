"""Two volumes alike, of which one gets many snapshots, and what those leave of its writes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Protocol

from acceptance.cluster.claims import Claim, remove_claim
from acceptance.cluster.pod_manifest import PodPlan, volume_path
from acceptance.cluster.snapshots import Snapshot, delete_snapshots, wait_taken
from acceptance.cluster.waiting import wait_for
from acceptance.judging.snapshots import decide_writes_left
from acceptance.limits.declared import SNAPSHOTS_METRIC
from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.cluster_load_runner import ClaimedVolume
from acceptance.measuring.load import Bench as LoadBench
from acceptance.measuring.load import Preparing
from acceptance.measuring.measure import BySegment, Report, measure_alternately
from acceptance.measuring.metric_values import metric_value
from acceptance.measuring.prefill import TEST_FILE
from acceptance.results.metrics import Metric
from acceptance.results.snapshots import ManySnapshotsRecord
from acceptance.results.under_load import Span
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.ratios import Ratio
from acceptance.text.errors import StorageFailure
from acceptance.trials import Say
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.snapshots import ask_for_snapshot, snapshot_class_for
from acceptance.trials.speed.findings import ratio_seen

PIECE = 4 * 1024**2
"""bytes that are written over at a time, of each volume"""
PIECES = 4
"""after so many the first is written over again: a snapshot holds no more than them"""
NAME = "snapshots"
METRIC = Metric.parse(SNAPSHOTS_METRIC)
_WRITTEN = "written\n"


class Loads(LoadBench, Protocol):
    """Where volumes are filled and loaded that somebody else has claimed: see `ClusterLoadRunner`."""

    def fill(self, claims: Sequence[Claim], *, node: str | None, progress: Preparing) -> list[ClaimedVolume]: ...


@dataclass(frozen=True, kw_only=True)
class ManySnapshotsTrial:
    """On that bench, where it makes what it needs. `count`: of snapshots; `size`: of each volume, in bytes.

    `limits`: until they are decided, both are loaded; `plan`: of the looks at them.
    """

    bench: Bench
    loads: Loads
    profile: Profile
    count: int
    size: int
    block: bool
    limits: Sequence[Limit]
    plan: AnalysisPlan
    report: Report
    preparing: Preparing
    say: Say

    def run(self) -> ManySnapshotsRecord:
        """Fill both, write to both and take snapshots of the one, load them in turn, and delete the snapshots.

        Raises Unsupported where the class has no snapshots, StorageFailure where one is not taken or does not go, or a
        volume is not written; and what loads raise.
        """
        bench = self.bench
        snapshot_class = snapshot_class_for(bench)
        claims = [bench.claim(part, size=self.size, block=self.block) for part in ("many", "none")]
        volumes = self.loads.fill(claims, node=bench.node, progress=self.preparing)
        bench.stay_on(volumes[0].node)
        snapshots, times = self._snapshots(claims, snapshot_class=snapshot_class)
        loaded, left = self._loaded(volumes)
        deleted_s = self._deleted(snapshots)
        for claim in claims:
            remove_claim(bench.api, claim, timeout_s=bench.timeout_s)
        with_them, without = (
            metric_value(METRIC, [sample for segment in each for sample in segment]) for each in loaded
        )
        return ManySnapshotsRecord(
            storage_class=bench.storage_class.name,
            snapshot_class=snapshot_class,
            node=volumes[0].node,
            profile=self.profile.name,
            metric=METRIC.path,
            piece=PIECE,
            times=times,
            with_snapshots=with_them,
            without=without,
            left=left,
            confidence=self.plan.at(loaded_s(loaded[0])).confidence,
            seconds=loaded_s(loaded[0]),
            deleted_s=deleted_s,
            test_size=volumes[0].test_size,
        )

    def _snapshots(self, claims: Sequence[Claim], *, snapshot_class: str) -> tuple[list[Snapshot], list[float]]:
        """Take them of the first volume, a piece of writes or more between each two; how long each took (s)."""
        bench, taken, times = self.bench, list[Snapshot](), list[float]()
        writer = bench.start_plan(self._writer(claims))
        for number in range(1, self.count + 1):
            self._wait_written(writer)
            self._tell(f"snapshot {number} of {self.count} is taken")
            asked_s = time.monotonic()
            each = ask_for_snapshot(bench, claims[0], snapshot_class=snapshot_class, part=f"snapshot-{number}")
            try:
                wait_taken(bench.api, each, timeout_s=bench.timeout_s)
            except StorageFailure as error:
                raise StorageFailure(f"snapshot {number} of {self.count} of one volume: {error}") from error
            times.append(time.monotonic() - asked_s)
            taken.append(each)
        bench.end(writer)
        return taken, times

    def _writer(self, claims: Sequence[Claim]) -> PodPlan:
        paths = [volume_path(place, block=self.block) for place in range(len(claims))]
        targets = paths if self.block else [f"{path}/{TEST_FILE}" for path in paths]
        script = files("acceptance.trials.snapshots").joinpath("write_pieces.sh").read_text(encoding="utf-8")
        mib = str(PIECE // 1024**2)
        plan = self.bench.plan(*claims, script=script, TARGETS=" ".join(targets), MIB=mib, PIECES=str(PIECES))
        # Each snapshot, and the piece before it, may take as long as anything may.
        return replace(plan, deadline_s=max(plan.deadline_s, math.ceil(2 * self.count * self.bench.timeout_s)))

    def _wait_written(self, writer: PodPlan) -> None:
        """Wait for a piece that is begun later than now: for the end of the one that is under way, and one more."""
        before = _pieces(self.bench.output_of(writer))
        wait_for(
            f"pod {writer.name} to write to both volumes (StorageClass {writer.classes})",
            look=lambda: self.bench.output_of(writer),
            ready=lambda said: _pieces(said) >= before + 2,
            state=lambda said: f"{_pieces(said) - before} pieces written",
            fatal=lambda said: _broken_off(writer, said),
            timeout_s=self.bench.timeout_s,
        )

    def _loaded(self, volumes: Sequence[ClaimedVolume]) -> tuple[tuple[BySegment, BySegment], Span | None]:
        """Both loaded in turn until all limits are decided: their samples, and what is left to the first."""
        with_them, without = volumes

        def decided(mine: BySegment, other: BySegment) -> bool:
            ratio, caution = ratio_seen(METRIC, mine, other, plan=self.plan)
            left = left_of(ratio, mine, other)
            return all(
                decide_writes_left(left, limit, beyond=caution.beyond) != "inconclusive" for limit in self.limits
            )

        ours, theirs = measure_alternately(
            self.loads,
            candidate=with_them,
            baseline=without,
            profile=self.profile,
            plan=self.plan,
            decided=decided,
            report=self.report,
            name=NAME,
        )
        mine, other = ours.samples, theirs.samples
        ratio, _ = ratio_seen(METRIC, mine, other, plan=self.plan)
        return (mine, other), left_of(ratio, mine, other)

    def _deleted(self, snapshots: Sequence[Snapshot]) -> float:
        """How long all snapshots take to go, asked for at once (s)."""
        self._tell(f"{self.count} snapshots are deleted")
        asked_s = time.monotonic()
        delete_snapshots(self.bench.api, snapshots, timeout_s=self.bench.timeout_s)
        return time.monotonic() - asked_s

    def _tell(self, text: str) -> None:
        self.say(f"many snapshots of a volume of {self.bench.storage_class.name}: {text}")


def _pieces(said: str) -> int:
    return said.count(_WRITTEN)


def _broken_off(writer: PodPlan, said: str) -> StorageFailure | None:
    """What a writer whose last word is another one has met: then it has ended."""
    if not said or said.endswith(_WRITTEN):
        return None
    return StorageFailure(
        f"pod {writer.name} could not write to two volumes of StorageClass {writer.classes}, of one of which snapshots "
        f"are taken, after {_pieces(said)} pieces: {said.replace(_WRITTEN, '')[-300:].strip()}"
    )


def left_of(ratio: Ratio, mine: BySegment, other: BySegment) -> Span | None:
    """What is left, with its interval. Of a volume that did nothing while the other one did something it is nothing."""
    if ratio.value is not None:
        return Span(mean=ratio.value, low=ratio.low, high=ratio.high)
    did = [sum(sample.counts["write"].ios for segment in each for sample in segment) for each in (mine, other)]
    return Span(mean=0.0, low=0.0, high=0.0) if did[0] == 0 < did[1] else None
