"""A snapshot of a ReadWriteOnce volume that is restored to a ReadWriteMany volume, for pods on several nodes."""

from __future__ import annotations

from acceptance.trials.features.bench import Bench
from acceptance.trials.features.bulk_data import BULK, offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.declared import RESTORED_COPY, Tries
from acceptance.trials.features.expansion import in_words
from acceptance.trials.features.making_copies import copy_of
from acceptance.trials.features.sharing import use_on_two_nodes
from acceptance.trials.features.snapshots import snapshot_class_for


@Tries(
    "restore-read-write-many",
    "Snapshots are restored to volumes that several nodes use (RWX)",
    RESTORED_COPY,
    pods=4,
    needs="snapshot",
    two_nodes=True,
    copied_bytes=3 * BULK,
)
def try_shared_restore(bench: Bench) -> str:
    """Verify that two nodes use a restored snapshot of a volume for one node, and return what was observed.

    Raises Unsupported if there are no snapshots or no ReadWriteMany volumes, StorageFailure if the restored volume
    lacks data, or if a node does not see what the other wrote.
    """
    bench.require_access("ReadWriteMany")
    snapshot_class_for(bench)
    offer_jobs(bench)
    source = bench.claim("source")
    write_bulk(bench, source)
    restored = copy_of(bench, source, "restored snapshot", access="ReadWriteMany")
    verify_bulk(bench, restored, what="on a snapshot of a ReadWriteOnce volume, restored to a ReadWriteMany volume")
    used = use_on_two_nodes(bench, restored)
    return (
        f"a snapshot of a ReadWriteOnce volume was restored to a ReadWriteMany volume with all {in_words(BULK)}; {used}"
    )
