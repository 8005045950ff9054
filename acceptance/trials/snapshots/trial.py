"""One snapshot, taken while records are written to its volume, and read from a copy."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from acceptance.cluster.claims import Claim, DataSource, remove_claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import volume_path
from acceptance.cluster.pods import end_pod
from acceptance.cluster.snapshots import GROUP, Snapshot, delete_snapshot, take_snapshot, wait_taken
from acceptance.results.snapshots import SnapshotRecord, Stage
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import MOST_BYTES, MOST_RECORDS, ranges
from acceptance.trials.crashes.trial import LEAST_RECORDS
from acceptance.trials.crashes.writer import Writer
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.snapshots import snapshot_class_for
from acceptance.trials.snapshots.order import held_in
from acceptance.trials.snapshots.pace import pace_of

FILES = 4
LEDGERS = tuple(f"{volume_path(0)}/{number}/records" for number in range(1, FILES + 1))
AFTER_S = 1.0
"""for which the writer must go on when all is over"""
_FILE = re.compile(rb"storage-acceptance: file (\d+)\n")


@dataclass(frozen=True, kw_only=True)
class SnapshotTrial:
    """On that bench, where it makes what it needs. `write_s`: how long records are written before the snapshot."""

    bench: Bench
    write_s: float
    say: Say

    def run(self) -> SnapshotRecord:
        """Write, take a snapshot meanwhile, restore and read it, delete it; the writer goes on all along.

        Raises Unsupported where the class has no snapshots, StorageFailure where the writer breaks off, or a snapshot
        cannot be taken, restored, read or deleted.
        """
        bench = self.bench
        snapshot_class = snapshot_class_for(bench)
        claim = bench.claim("in-use")
        writer = Writer(bench.workspace, claim, node=bench.node, ledgers=LEDGERS)
        bench.undo_with(lambda: end_pod(bench.api, writer.plan, timeout_s=bench.timeout_s))
        with writer:
            return self._while_written(writer, claim, snapshot_class)

    def _while_written(self, writer: Writer, claim: Claim, snapshot_class: str) -> SnapshotRecord:
        bench = self.bench
        bench.stay_on(writer.node)
        self._tell(f"records are written for {self.write_s:.0f} s")
        writer.write_for(self.write_s, records=LEAST_RECORDS)
        name = object_name(claim.name, "snapshot")
        snapshot = Snapshot(name=name, namespace=claim.namespace, snapshot_class=snapshot_class, run_id=claim.run_id)
        bench.keep_track(snapshot)
        # No clock is compared: these were durable before their numbers arrived, and so before it is asked for.
        acknowledged, asked = writer.acknowledged, datetime.now(UTC)
        moments = [writer.arrivals[0][0], time.monotonic()]
        self._tell("a snapshot is taken while records are written")
        take_snapshot(bench.api, snapshot, claim=claim)
        taken = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
        moments.append(time.monotonic())
        self._tell("the snapshot is restored to another volume, and read")
        copy = bench.claim(
            "copy",
            size=max(SIZE, taken.size or 0),
            source=DataSource(kind="VolumeSnapshot", name=snapshot.name, group=GROUP),
        )
        held = held_in(self._files_on(copy), token=writer.token, acknowledged=acknowledged)
        if held.lost or held.holes:  # whoever keeps what failed keeps both
            bench.fail()
        else:
            remove_claim(bench.api, copy, timeout_s=bench.timeout_s)
            moments.append(time.monotonic())
            self._tell("the snapshot is deleted while records are written")
            delete_snapshot(bench.api, snapshot, timeout_s=bench.timeout_s)
        moments.append(time.monotonic())
        writer.write_for(AFTER_S, records=min(writer.acknowledged + 1, MOST_RECORDS))
        stages: tuple[Stage, ...] = ("before", "taken", "restored", "deleted")
        paces = [
            pace_of(stage, writer.arrivals, begin_s=begin_s, end_s=end_s)
            for stage, begin_s, end_s in zip(stages, moments, moments[1:], strict=False)
        ]
        return SnapshotRecord(
            storage_class=bench.storage_class.name,
            snapshot_class=snapshot_class,
            node=writer.node,
            asked=asked,
            files=FILES,
            acknowledged=acknowledged,
            whole=held.whole,
            last=held.last,
            lost=ranges(held.lost),
            holes=ranges(held.holes),
            paces=[each for each in paces if each is not None],
        )

    def _files_on(self, copy: Claim) -> list[bytes]:
        """What the files hold on a volume that was restored from the snapshot."""
        script = files("acceptance.trials.snapshots").joinpath("read_files.sh").read_text(encoding="utf-8")
        done = self.bench.one_shot_pod(copy, script, LEDGER=" ".join(LEDGERS), LIMIT=str(MOST_BYTES))
        if done.status:
            raise StorageFailure(
                f"a volume of StorageClass {copy.storage_class}, restored from a snapshot that was taken while records "
                f"were written, cannot be read: {done.output[-300:].strip() or 'no output'} ({done.state})"
            )
        return printed_files(done.content)

    def _tell(self, text: str) -> None:
        self.say(f"snapshot in use on {self.bench.storage_class.name}: {text}")


def printed_files(log: bytes) -> list[bytes]:
    """What the files hold, out of the log of the pod that read them. Raises EnvironmentFailure when part is missing."""
    found, at = [], 0
    for _ in LEDGERS:
        if (line := _FILE.match(log, at)) is None:
            break
        end = line.end() + int(line[1])
        if log[end : end + 1] != b"\n":
            break
        found.append(log[line.end() : end])
        at = end + 1
    if len(found) < len(LEDGERS) or at != len(log):
        raise EnvironmentFailure(
            f"the log of the pod that read the restored volume is incomplete: wanted {len(LEDGERS)} files, found "
            f"{len(found)}; the node rotated the log, or the suite read only a part of it"
        )
    return found
