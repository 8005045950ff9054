"""A snapshot of a volume, which is then changed: the snapshot is restored to another volume."""

from __future__ import annotations

from acceptance.cluster.claims import AccessMode, Claim, DataSource
from acceptance.cluster.objects import object_name
from acceptance.cluster.snapshots import (
    GROUP,
    RestorableSnapshot,
    Snapshot,
    snapshot_class_of,
    take_snapshot,
    wait_taken,
)
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import change, content, write_before, wrong_with_copy
from acceptance.trials.features.declared import RESTORED_COPY, Tries


@Tries("snapshot", "Snapshots are taken and restored", RESTORED_COPY, pods=4, e2e=("snapshotDataSource",))
@Tries(
    "block-snapshot",
    "Snapshots of raw block volumes are taken and restored",
    RESTORED_COPY,
    pods=4,
    needs="snapshot",
    of_devices=True,
    arguments={"block": True},
)
def try_snapshot(bench: Bench, *, block: bool = False) -> str:
    """Verify that a restored snapshot holds what its volume held, and return what was observed.

    `block`: of a raw block volume. Raises Unsupported if there are no snapshots, StorageFailure if a snapshot cannot be
    taken or restored, or if it holds other data.
    """
    snapshot_class = snapshot_class_for(bench)
    claim, before, after = bench.claim("source", block=block), new_mark(), new_mark()
    write_before(bench, claim, before)
    snapshot = ask_for_snapshot(bench, claim, snapshot_class=snapshot_class)
    ready_snapshot = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    change(bench, claim, after)
    copy_claim = restore(bench, snapshot, ready_snapshot, block=block)
    if wrong := wrong_with_copy(content(bench, copy_claim), before=before, after=after):
        raise StorageFailure(
            f"a snapshot of class {snapshot_class} was taken of a volume of StorageClass {bench.storage_class.name} "
            f"and restored to a new volume: {wrong}"
        )
    return f"a snapshot of class {snapshot_class}, restored to a new volume, held the data at the time of the snapshot"


def ask_for_snapshot(bench: Bench, claim: Claim, *, snapshot_class: str, part: str = "snapshot") -> Snapshot:
    """Request a snapshot of the claim's volume; it is deleted with the other objects."""
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
    ready_snapshot: RestorableSnapshot,
    *,
    part: str = "restored",
    size: int = SIZE,
    access: AccessMode | None = None,
    block: bool = False,
) -> Claim:
    """Request a volume that begins as the snapshot, of `size` bytes, or of what the snapshot needs if that is more."""
    needs = ready_snapshot.size or 0
    source = DataSource(kind="VolumeSnapshot", name=snapshot.name, group=GROUP, smaller=size > max(SIZE, needs))
    return bench.claim(part, size=max(size, needs), source=source, access=access, block=block)


def snapshot_class_for(bench: Bench) -> str:
    """Return the name of the snapshot class to use. Raises Unsupported if there is none."""
    try:
        return snapshot_class_of(bench.api, bench.storage_class)
    except Unsupported as error:
        raise bench.missing(str(error)) from error
