"""A snapshot of a volume, or of several at once, taken while records are written there, and read from copies."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from acceptance.cluster.claims import Claim, remove_claim
from acceptance.cluster.pod_manifest import volume_path
from acceptance.cluster.pods import end_pod
from acceptance.results.snapshots import SnapshotRecord, Stage
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import MOST_BYTES, MOST_RECORDS, ranges
from acceptance.trials.crashes.trial import LEAST_RECORDS
from acceptance.trials.crashes.writer import Writer
from acceptance.trials.features.bench import Bench
from acceptance.trials.snapshots.order import FileContents, contents_of
from acceptance.trials.snapshots.pace import pace_of
from acceptance.trials.snapshots.takings import GroupOfSnapshots, OneSnapshot, Taking

FILES = 4
"""The number of files on all volumes together."""
OF_A_GROUP = 2
"""The number of volumes: two are enough to show contents of different moments."""
AFTER_S = 1.0
"""Seconds for which the writer must continue when all is over."""
_FILE = re.compile(rb"storage-acceptance: file (\d+)\n")


def ledgers(volumes: int) -> tuple[str, ...]:
    """Return the files in their order: each is on another volume than the one before, if there are several."""
    return tuple(
        f"{volume_path(volume)}/{number}/records"
        for number in range(1, FILES // volumes + 1)
        for volume in range(volumes)
    )


@dataclass(frozen=True, kw_only=True)
class SnapshotTrial:
    """A trial on that bench, where it creates what it needs. `write_s`: how long records are written before the
    snapshot.

    `volumes`: the number of volumes of one pod that are written to in turn; of several a group snapshot is taken.
    """

    bench: Bench
    write_s: float
    say: Say
    volumes: int = 1

    def run(self) -> SnapshotRecord:
        """Write, take a snapshot meanwhile, restore and read it, delete it; the writer continues all the time.

        Raises Unsupported if the class has no snapshots, or no groups of them, StorageFailure if the writer breaks off,
        or a snapshot cannot be taken, restored, read or deleted.
        """
        bench = self.bench
        taking: Taking = (
            OneSnapshot(bench=bench) if self.volumes == 1 else GroupOfSnapshots(bench=bench, volumes=self.volumes)
        )
        first, *other_claims = taking.claims
        writer = Writer(bench.workspace, first, beside=other_claims, node=bench.node, ledgers=ledgers(self.volumes))
        bench.undo_with(lambda: end_pod(bench.api, writer.plan, timeout_s=bench.timeout_s))
        with writer:
            return self._while_written(writer, taking)

    def _while_written(self, writer: Writer, taking: Taking) -> SnapshotRecord:
        bench = self.bench
        bench.stay_on(writer.node)
        self._tell(f"records are written for {self.write_s:.0f} s")
        writer.write_for(self.write_s, records=LEAST_RECORDS)
        # No clock is compared: these were durable before their numbers arrived, and so before the request.
        acknowledged_count, asked_at = writer.acknowledged_count, datetime.now(UTC)
        moments = [writer.arrivals[0][0], time.monotonic()]
        self._tell("a snapshot is taken while records are written")
        taking.take()
        taking.wait()
        moments.append(time.monotonic())
        self._tell("the snapshot is restored, and read")
        copies = taking.restore()
        contents = contents_of(self._files_on(copies), token=writer.token, acknowledged_count=acknowledged_count)
        if contents.lost_numbers or contents.holes:  # a user who keeps what failed keeps both
            bench.fail()
        else:
            for copy in copies:
                remove_claim(bench.api, copy, timeout_s=bench.timeout_s)
            moments.append(time.monotonic())
            self._tell("the snapshot is deleted while records are written")
            taking.delete()
        moments.append(time.monotonic())
        writer.write_for(AFTER_S, records=min(writer.acknowledged_count + 1, MOST_RECORDS))
        return self._record(
            writer, taking, contents, acknowledged_count=acknowledged_count, asked_at=asked_at, moments=moments
        )

    def _record(
        self,
        writer: Writer,
        taking: Taking,
        contents: FileContents,
        *,
        acknowledged_count: int,
        asked_at: datetime,
        moments: Sequence[float],
    ) -> SnapshotRecord:
        stages: tuple[Stage, ...] = ("before", "taken", "restored", "deleted")
        paces = [
            pace_of(stage, writer.arrivals, begin_s=begin_s, end_s=end_s)
            for stage, begin_s, end_s in zip(stages, moments, moments[1:], strict=False)
        ]
        return SnapshotRecord(
            storage_class=self.bench.storage_class.name,
            snapshot_class=taking.snapshot_class,
            node=writer.node,
            asked=asked_at,
            volumes=self.volumes,
            files=FILES,
            acknowledged=acknowledged_count,
            whole=contents.whole,
            last=contents.last,
            lost=ranges(contents.lost_numbers),
            holes=ranges(contents.holes),
            paces=[pace for pace in paces if pace is not None],
        )

    def _files_on(self, copies: Sequence[Claim]) -> list[bytes]:
        """Return the contents of the files on the restored volumes, in the order in which the writer wrote them in
        turn."""
        script = files("acceptance.trials.snapshots").joinpath("read_files.sh").read_text(encoding="utf-8")
        first, *other_copies = copies
        names = " ".join(ledgers(self.volumes))
        run = self.bench.one_shot_pod(first, script, beside=other_copies, LEDGER=names, LIMIT=str(MOST_BYTES))
        if run.status:
            raise StorageFailure(
                f"a volume of StorageClass {first.storage_class}, restored from a snapshot that was taken while "
                f"records were written, cannot be read: {run.output[-300:].strip() or 'no output'} ({run.state})"
            )
        return printed_files(run.content)

    def _tell(self, text: str) -> None:
        subject = "snapshot in use" if self.volumes == 1 else f"group snapshot of {self.volumes} volumes in use"
        self.say(f"{subject} on {self.bench.storage_class.name}: {text}")


def printed_files(log: bytes) -> list[bytes]:
    """Return the contents of the files from the log of the pod that read them. Raises EnvironmentFailure if part is
    missing."""
    contents, at = [], 0
    for _ in range(FILES):
        if (line := _FILE.match(log, at)) is None:
            break
        end = line.end() + int(line[1])
        if log[end : end + 1] != b"\n":
            break
        contents.append(log[line.end() : end])
        at = end + 1
    if len(contents) < FILES or at != len(log):
        raise EnvironmentFailure(
            f"the log of the pod that read the restored volume is incomplete: expected {FILES} files, found "
            f"{len(contents)}; the node rotated the log, or the suite read only a part of it"
        )
    return contents
