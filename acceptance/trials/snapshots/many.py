"""Two volumes alike, of which one gets many snapshots, and what the snapshots leave of its writes."""

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
from acceptance.trials.speed.decisions import ratio_seen

PIECE = 4 * 1024**2
"""Bytes of each volume that are overwritten at a time."""
PIECES = 4
"""The number of pieces after which the first is overwritten again: a snapshot holds no more than these."""
NAME = "snapshots"
METRIC = Metric.parse(SNAPSHOTS_METRIC)
_PIECE_LINE = "written\n"


class Loads(LoadBench, Protocol):
    """Fills and loads volumes that others have claimed: see `ClusterLoadRunner`."""

    def fill(self, claims: Sequence[Claim], *, node: str | None, progress: Preparing) -> list[ClaimedVolume]: ...


@dataclass(frozen=True, kw_only=True)
class ManySnapshotsTrial:
    """A trial on that bench, where it creates what it needs. `count`: of snapshots; `size`: of each volume, in bytes.

    `limits`: both volumes are loaded until these are decided; `plan`: of their interim analyses.
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
        """Fill both volumes, write to both and take snapshots of one, load them in turn, and delete the snapshots.

        Raises Unsupported if the class has no snapshots, StorageFailure if one is not taken or not deleted, or a volume
        is not written; and what loads raise.
        """
        bench = self.bench
        snapshot_class = snapshot_class_for(bench)
        claims = [bench.claim(part, size=self.size, block=self.block) for part in ("many", "none")]
        volumes = self.loads.fill(claims, node=bench.node, progress=self.preparing)
        bench.stay_on(volumes[0].node)
        snapshots, times = self._snapshots(claims, snapshot_class=snapshot_class)
        samples_of_both, writes_left = self._load(volumes)
        deleted_s = self._delete(snapshots)
        for claim in claims:
            remove_claim(bench.api, claim, timeout_s=bench.timeout_s)
        with_them, without = (
            metric_value(METRIC, [sample for segment in segments for sample in segment]) for segments in samples_of_both
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
            left=writes_left,
            confidence=self.plan.at(loaded_s(samples_of_both[0])).confidence,
            seconds=loaded_s(samples_of_both[0]),
            deleted_s=deleted_s,
            test_size=volumes[0].test_size,
        )

    def _snapshots(self, claims: Sequence[Claim], *, snapshot_class: str) -> tuple[list[Snapshot], list[float]]:
        """Take the snapshots of the first volume, a piece of writes or more between every two; return them, and the
        time of each (s)."""
        bench, snapshots, times = self.bench, list[Snapshot](), list[float]()
        writer = bench.start_plan(self._writer(claims))
        for number in range(1, self.count + 1):
            self._wait_written(writer)
            self._tell(f"snapshot {number} of {self.count} is taken")
            asked_s = time.monotonic()
            snapshot = ask_for_snapshot(bench, claims[0], snapshot_class=snapshot_class, part=f"snapshot-{number}")
            try:
                wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
            except StorageFailure as error:
                raise StorageFailure(f"snapshot {number} of {self.count} of one volume: {error}") from error
            times.append(time.monotonic() - asked_s)
            snapshots.append(snapshot)
        bench.end(writer)
        return snapshots, times

    def _writer(self, claims: Sequence[Claim]) -> PodPlan:
        paths = [volume_path(place, block=self.block) for place in range(len(claims))]
        targets = paths if self.block else [f"{path}/{TEST_FILE}" for path in paths]
        script = files("acceptance.trials.snapshots").joinpath("write_pieces.sh").read_text(encoding="utf-8")
        mib = str(PIECE // 1024**2)
        plan = self.bench.plan(*claims, script=script, TARGETS=" ".join(targets), MIB=mib, PIECES=str(PIECES))
        # Each snapshot, and the piece before it, may take as long as anything may.
        return replace(plan, deadline_s=max(plan.deadline_s, math.ceil(2 * self.count * self.bench.timeout_s)))

    def _wait_written(self, writer: PodPlan) -> None:
        """Wait for a piece that begins later than now: for the end of the current piece, and one more."""
        before = _pieces(self.bench.output_of(writer))
        wait_for(
            f"pod {writer.name} to write to both volumes (StorageClass {writer.classes})",
            look=lambda: self.bench.output_of(writer),
            ready=lambda output: _pieces(output) >= before + 2,
            state=lambda output: f"{_pieces(output) - before} pieces written",
            fatal=lambda output: _broken_off(writer, output),
            timeout_s=self.bench.timeout_s,
        )

    def _load(self, volumes: Sequence[ClaimedVolume]) -> tuple[tuple[BySegment, BySegment], Span | None]:
        """Load both in turn until all limits are decided; return the samples of both, and the share of writes left to
        the first."""
        with_them, without = volumes

        def is_decided(with_samples: BySegment, without_samples: BySegment) -> bool:
            ratio, caution = ratio_seen(METRIC, with_samples, without_samples, plan=self.plan)
            writes_left = left_of(ratio, with_samples, without_samples)
            return all(
                decide_writes_left(writes_left, limit, beyond=caution.beyond) != "inconclusive" for limit in self.limits
            )

        with_load, without_load = measure_alternately(
            self.loads,
            candidate=with_them,
            baseline=without,
            profile=self.profile,
            plan=self.plan,
            is_decided=is_decided,
            report=self.report,
            name=NAME,
        )
        with_samples, without_samples = with_load.samples, without_load.samples
        ratio, _ = ratio_seen(METRIC, with_samples, without_samples, plan=self.plan)
        return (with_samples, without_samples), left_of(ratio, with_samples, without_samples)

    def _delete(self, snapshots: Sequence[Snapshot]) -> float:
        """Delete all snapshots at the same time; return how long that takes (s)."""
        self._tell(f"{self.count} snapshots are deleted")
        asked_s = time.monotonic()
        delete_snapshots(self.bench.api, snapshots, timeout_s=self.bench.timeout_s)
        return time.monotonic() - asked_s

    def _tell(self, text: str) -> None:
        self.say(f"many snapshots of a volume of {self.bench.storage_class.name}: {text}")


def _pieces(output: str) -> int:
    return output.count(_PIECE_LINE)


def _broken_off(writer: PodPlan, output: str) -> StorageFailure | None:
    """Return the error of a writer whose last line is another one: it has ended."""
    if not output or output.endswith(_PIECE_LINE):
        return None
    return StorageFailure(
        f"pod {writer.name} could not write to two volumes of StorageClass {writer.classes}, one of them with "
        f"snapshots, after {_pieces(output)} pieces: {output.replace(_PIECE_LINE, '')[-300:].strip()}"
    )


def left_of(ratio: Ratio, with_samples: BySegment, without_samples: BySegment) -> Span | None:
    """Return the share of writes that is left, with its interval. It is 0 if the volume did nothing while the other did
    something."""
    if ratio.value is not None:
        return Span(mean=ratio.value, low=ratio.low, high=ratio.high)
    did = [
        sum(sample.counts["write"].ios for segment in samples for sample in segment)
        for samples in (with_samples, without_samples)
    ]
    return Span(mean=0.0, low=0.0, high=0.0) if did[0] == 0 < did[1] else None
