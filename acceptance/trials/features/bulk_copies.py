"""Copies and grown volumes with much data, of which every block is read: a marker file may be right by chance."""

from __future__ import annotations

from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.bulk_data import BULK, offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.clones import require_clones
from acceptance.trials.features.declared import RESTORED_COPY, TWO_VOLUMES, Tries
from acceptance.trials.features.expansion import EXPANDED_SIZE, GROWING, expand, in_words, require_allowed
from acceptance.trials.features.making_copies import Copy, copy_of
from acceptance.trials.features.snapshots import snapshot_class_for

_STAY = "while :; do sleep 1; done"


@Tries(
    "restore-bulk-data",
    "Restored snapshots hold every block of much data",
    RESTORED_COPY,
    pods=4,
    needs="snapshot",
    copied_bytes=6 * BULK,
    arguments={"copy": "restored snapshot"},
)
@Tries(
    "clone-bulk-data",
    "Clones hold every block of much data",
    TWO_VOLUMES,
    pods=4,
    copied_bytes=6 * BULK,
    arguments={"copy": "clone"},
)
def try_bulk_copy(bench: Bench, copy: Copy) -> str:
    """Verify every block of a copy after its source was written again in full, and return what was observed.

    Raises Unsupported if the class has no such copies, StorageFailure if a block of the copy is not that of the source
    at the time of the copy, or if the copy shares blocks with its source.
    """
    if copy == "restored snapshot":
        snapshot_class_for(bench)
    offer_jobs(bench)
    source = bench.claim("source")
    write_bulk(bench, source)
    if copy == "clone":
        require_clones(bench, source)
    copied = copy_of(bench, source, copy)
    verify_bulk(bench, copied, what=f"on a {copy}")
    write_bulk(bench, source, writing=2)
    verify_bulk(bench, copied, what=f"on a {copy}, after its source was written again")
    return f"all {in_words(BULK)} on a {copy} were those of its source, also after the source was written again in full"


@Tries(
    "expansion-bulk-data",
    "Volumes that grow keep every block of much data",
    GROWING,
    pods=3,
    needs="expansion",
    copied_bytes=3 * BULK,
)
def try_bulk_expansion(bench: Bench) -> str:
    """Verify every block of a volume that grew while a pod used it, and return what was observed.

    Raises Unsupported if the class does not allow expansion, StorageFailure if the volume does not grow, or if a block
    is not as it was written.
    """
    require_allowed(bench)
    offer_jobs(bench)
    claim = bench.claim("grows")
    write_bulk(bench, claim)
    pod = bench.start(claim, _STAY)
    expand(bench, claim, size=EXPANDED_SIZE)
    bench.end(pod)
    verify_bulk(bench, claim, what=f"after the volume grew to {in_words(EXPANDED_SIZE)} while a pod used it")
    return f"all {in_words(BULK)} were as they were written after a volume grew by {in_words(EXPANDED_SIZE - SIZE)}"
