"""Expansion of a volume that has a snapshot: the volume keeps its data, and the snapshot remains restorable."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.events import warnings_about
from acceptance.cluster.refusals import refuses_because_of_copies
from acceptance.cluster.snapshots import wait_taken
from acceptance.text.errors import Unsupported
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.bulk_data import BULK, offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.expansion import GROWING, WRITE, ask, in_words, require_allowed
from acceptance.trials.features.offline_expansion import size_in_a_new_pod, wait_enlarged
from acceptance.trials.features.sizes import SIZE_LINE, size_in, twice
from acceptance.trials.features.snapshots import ask_for_snapshot, restore, snapshot_class_for


@Tries(
    "expansion-with-snapshot",
    "Volumes grow while they have a snapshot",
    (*GROWING, VolumeUse(beside=SIZE)),
    pods=5,
    needs="snapshot",
    copied_bytes=6 * BULK,
)
def try_expansion_with_snapshot(bench: Bench) -> str:
    """Expand a volume that has a snapshot, write it again, restore the snapshot, and return what was observed.

    Raises Unsupported if the class does not allow expansion or has no snapshots, or if the driver refuses to expand a
    volume that has one; StorageFailure if the volume does not grow, or if it or the snapshot lacks data.
    """
    require_allowed(bench)
    snapshot_class = snapshot_class_for(bench)
    offer_jobs(bench)
    claim, mark = bench.claim("grows"), new_mark()
    before = size_in(bench.run(claim, WRITE + SIZE_LINE, MARK=mark))
    write_bulk(bench, claim)
    snapshot = ask_for_snapshot(bench, claim, snapshot_class=snapshot_class)
    ready_snapshot = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    size = twice(bench, claim)
    ask(bench, claim, size=size)
    wait_enlarged(bench, claim, size=size, fatal=lambda: _refusal(bench, claim))
    after = size_in_a_new_pod(
        bench,
        claim,
        mark,
        size=size,
        before=before,
        after_what="it has a snapshot; no pod used it during the expansion",
    )
    verify_bulk(bench, claim, what="after the volume grew while it had a snapshot")
    write_bulk(bench, claim, writing=2)
    restored = restore(bench, snapshot, ready_snapshot)
    verify_bulk(bench, restored, what="from a snapshot that was taken before the volume grew and was written again")
    return (
        f"a volume with a snapshot grew from {in_words(before)} to {in_words(after)} and kept its data; the restored "
        f"snapshot held all {in_words(BULK)} from before"
    )


def _refusal(bench: Bench, claim: Claim) -> Unsupported | None:
    """Return the error for a driver that expands no volume with snapshots, from events of the PVC; otherwise None."""
    names = [claim.name, claim.namespace, claim.storage_class, bench.volume_of(claim)]
    for warning in warnings_about(bench.api, namespace=claim.namespace, name=claim.name, reason="VolumeResizeFailed"):
        if refuses_because_of_copies(warning.message, names=names):
            return bench.missing(
                f"the driver of StorageClass {claim.storage_class} refuses to expand a volume that has a snapshot: "
                f"{warning.line}"
            )
    return None
