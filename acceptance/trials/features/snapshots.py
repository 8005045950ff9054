"""A snapshot: taken of a volume, which is then changed, and restored to another volume."""

from __future__ import annotations

from acceptance.cluster.claims import DataSource
from acceptance.cluster.objects import object_name
from acceptance.cluster.snapshots import (
    GROUP,
    Snapshot,
    snapshot_class_of,
    take_snapshot,
    wait_taken,
)
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import change, content, write_before, wrong_with_copy


def try_snapshot(bench: Bench) -> str:
    """How the snapshot was seen to hold what it must. Raises Unsupported where there are none, StorageFailure where a
    snapshot cannot be taken or restored, or holds something else."""
    snapshot_class = snapshot_class_for(bench)
    claim, before, after = bench.claim("source"), new_mark(), new_mark()
    write_before(bench, claim, before)
    snapshot = Snapshot(
        name=object_name(claim.name, "snapshot"),
        namespace=claim.namespace,
        snapshot_class=snapshot_class,
        run_id=claim.run_id,
    )
    bench.keep_track(snapshot)
    take_snapshot(bench.api, snapshot, claim=claim)
    taken = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    change(bench, claim, after)
    source = DataSource(kind="VolumeSnapshot", name=snapshot.name, group=GROUP)
    restored = bench.claim("restored", size=max(SIZE, taken.size or 0), source=source)
    if wrong := wrong_with_copy(content(bench, restored), before=before, after=after):
        raise StorageFailure(
            f"a snapshot of class {snapshot_class} was taken of a volume of StorageClass {bench.storage_class.name} "
            f"and restored to a new one: {wrong}"
        )
    return f"a snapshot of class {snapshot_class}, restored to a new volume, held what was there when it was taken"


def snapshot_class_for(bench: Bench) -> str:
    """The name of the snapshot class to use. Raises Unsupported where there is none."""
    try:
        return snapshot_class_of(bench.api, bench.storage_class)
    except Unsupported as error:
        raise bench.missing(str(error)) from error
