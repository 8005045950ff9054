"""A snapshot: taken of a volume, which is then changed, and restored to another volume."""

from __future__ import annotations

from acceptance.cluster.claims import AccessMode, Claim, DataSource
from acceptance.cluster.objects import object_name
from acceptance.cluster.snapshots import (
    GROUP,
    Snapshot,
    Taken,
    snapshot_class_of,
    take_snapshot,
    wait_taken,
)
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import change, content, write_before, wrong_with_copy
from acceptance.trials.features.declared import RESTORED, Tries


@Tries("snapshot", "Snapshots are taken and restored", RESTORED, pods=4, e2e=("snapshotDataSource",))
@Tries(
    "block-snapshot",
    "Snapshots of raw block volumes are taken and restored",
    RESTORED,
    pods=4,
    needs="snapshot",
    of_devices=True,
    arguments={"block": True},
)
def try_snapshot(bench: Bench, *, block: bool = False) -> str:
    """How the snapshot was seen to hold what it must. Raises Unsupported where there are none, StorageFailure where a
    snapshot cannot be taken or restored, or holds something else. `block`: of a raw block volume."""
    snapshot_class = snapshot_class_for(bench)
    claim, before, after = bench.claim("source", block=block), new_mark(), new_mark()
    write_before(bench, claim, before)
    snapshot = ask_for_snapshot(bench, claim, snapshot_class=snapshot_class)
    taken = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    change(bench, claim, after)
    restored = restore(bench, snapshot, taken, block=block)
    if wrong := wrong_with_copy(content(bench, restored), before=before, after=after):
        raise StorageFailure(
            f"a snapshot of class {snapshot_class} was taken of a volume of StorageClass {bench.storage_class.name} "
            f"and restored to a new one: {wrong}"
        )
    return f"a snapshot of class {snapshot_class}, restored to a new volume, held what was there when it was taken"


def ask_for_snapshot(bench: Bench, claim: Claim, *, snapshot_class: str, part: str = "snapshot") -> Snapshot:
    """Ask for a snapshot of the claim's volume; it is removed with the rest."""
    snapshot = Snapshot(
        name=object_name(claim.name, part),
        namespace=claim.namespace,
        snapshot_class=snapshot_class,
        run_id=claim.run_id,
    )
    bench.keep_track(snapshot)
    take_snapshot(bench.api, snapshot, claim=claim)
    return snapshot


def restore(
    bench: Bench,
    snapshot: Snapshot,
    taken: Taken,
    *,
    size: int = SIZE,
    access: AccessMode = "ReadWriteOnce",
    block: bool = False,
) -> Claim:
    """Ask for a volume that begins as the snapshot; of `size` bytes, or what the snapshot needs if that is more."""
    needs = taken.size or 0
    source = DataSource(kind="VolumeSnapshot", name=snapshot.name, group=GROUP, smaller=size > max(SIZE, needs))
    return bench.claim("restored", size=max(size, needs), source=source, access=access, block=block)


def snapshot_class_for(bench: Bench) -> str:
    """The name of the snapshot class to use. Raises Unsupported where there is none."""
    try:
        return snapshot_class_of(bench.api, bench.storage_class)
    except Unsupported as error:
        raise bench.missing(str(error)) from error
