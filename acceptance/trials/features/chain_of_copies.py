"""Copies of copies, deleted from the first one on: every deletion completes, and all that is left is intact."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.claims import Claim
from acceptance.cluster.snapshots import delete_snapshot, wait_taken
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.bulk_data import BULK, offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.clones import ask_for_clone, require_clones
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.deleted_sources import delete_with_volume
from acceptance.trials.features.snapshots import ask_for_snapshot, restore, snapshot_class_for


@Tries(
    "chain-of-copies",
    "Copies of copies outlive the volumes and snapshots that they come from",
    (VolumeUse(number=3, total=4, beside=2 * SIZE),),
    pods=9,
    needs="snapshot",
    recreations=2,
    snapshots=2,
    copied_bytes=14 * BULK,
)
def try_chain(bench: Bench) -> str:
    """Delete a volume, its snapshot, the volume restored from it and a snapshot of that, one after the other.

    Returns what was observed. Raises Unsupported if there are no snapshots or no clones, or if the driver deletes no
    volume that has copies; StorageFailure if a deletion does not complete, or if it damages a copy.
    """
    snapshot_class = snapshot_class_for(bench)
    offer_jobs(bench)
    source = bench.claim("source")
    write_bulk(bench, source)
    require_clones(bench, source)
    first = ask_for_snapshot(bench, source, snapshot_class=snapshot_class, part="snapshot-1")
    restored = restore(bench, first, wait_taken(bench.api, first, timeout_s=bench.timeout_s))
    verify_bulk(bench, restored, what="on a restored snapshot")
    second = ask_for_snapshot(bench, restored, snapshot_class=snapshot_class, part="snapshot-2")
    second_ready = wait_taken(bench.api, second, timeout_s=bench.timeout_s)
    clone = ask_for_clone(bench, restored, size=restored.size)
    verify_bulk(bench, clone, what="on a clone of a restored snapshot")

    delete_with_volume(bench, source)
    _require_intact(bench, (restored, clone), after="the volume at the root of the chain was deleted")
    delete_snapshot(bench.api, first, timeout_s=bench.timeout_s)
    _require_intact(bench, (restored, clone), after="the first snapshot of the chain was deleted")
    delete_with_volume(bench, restored)
    last = restore(bench, second, second_ready, part="restored-2")
    _require_intact(bench, (clone, last), after="the restored volume, the source of both, was deleted")
    delete_snapshot(bench.api, second, timeout_s=bench.timeout_s)
    _require_intact(bench, (clone, last), after="the second snapshot of the chain was deleted")
    return (
        "source, snapshot, restored volume and its snapshot were deleted in that order, PVs and contents too; after "
        "each deletion, all other volumes and snapshots of the chain held their data"
    )


def _require_intact(bench: Bench, claims: Sequence[Claim], *, after: str) -> None:
    """Read all data of the volumes. Raises StorageFailure if one is not as it was, naming the deletion before."""
    for claim in claims:
        try:
            verify_bulk(bench, claim, what="in a new pod")
        except StorageFailure as error:
            raise StorageFailure(
                f"a copy of StorageClass {claim.storage_class} is damaged after {after}: {error}"
            ) from error
