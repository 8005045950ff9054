"""A snapshot whose source is deleted, PVC and PV: the one case in which a backup is needed."""

from __future__ import annotations

from acceptance.cluster.snapshots import wait_taken
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.bulk_data import BULK, offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.declared import RESTORED_COPY, Tries
from acceptance.trials.features.deleted_sources import delete_with_volume
from acceptance.trials.features.expansion import in_words
from acceptance.trials.features.snapshots import ask_for_snapshot, restore, snapshot_class_for


@Tries(
    "snapshot-without-source",
    "Snapshots are restored after their source is deleted",
    RESTORED_COPY,
    pods=2,
    needs="snapshot",
    recreations=1,
    copied_bytes=3 * BULK,
)
def try_snapshot_without_source(bench: Bench) -> str:
    """Verify that a snapshot outlives the volume that it was taken of, and return what was observed.

    Raises Unsupported if there are no snapshots, or if the driver deletes no volume that has some; StorageFailure if
    the PV remains, or if the restored volume is not created or lacks data.
    """
    snapshot_class = snapshot_class_for(bench)
    offer_jobs(bench)
    source = bench.claim("source")
    write_bulk(bench, source)
    snapshot = ask_for_snapshot(bench, source, snapshot_class=snapshot_class)
    ready_snapshot = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    delete_with_volume(bench, source)
    restored = restore(bench, snapshot, ready_snapshot)
    verify_bulk(bench, restored, what="from a snapshot that was restored after PVC and PV of its source were deleted")
    return (
        f"a snapshot of class {snapshot_class} was restored after PVC and PV of its source were deleted, and held all "
        f"{in_words(BULK)}"
    )
