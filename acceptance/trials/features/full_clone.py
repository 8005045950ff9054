"""A clone of a volume that is full: it holds all data, and accepts writes once a file is deleted."""

from __future__ import annotations

import re

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.bulk_data import offer_jobs, verify_bulk, write_bulk
from acceptance.trials.features.clones import ask_for_clone, require_clones
from acceptance.trials.features.declared import TWO_VOLUMES, Tries
from acceptance.trials.features.expansion import in_words
from acceptance.trials.features.sizes import SIZE_LINE, capacity_of

MIB = 1024**2
CHECKED = 0.75
"""The share of the free space that is filled with checksummed blocks; random data without checksums takes the rest."""
MOST = SIZE + SIZE // 10
"""A volume that shows more bytes is not filled: it may share them with others. Providers round up by less."""
_SIZES = re.compile(r"^\S+ +(\d+) +\d+ +(-?\d+) +\d+% ", re.MULTILINE)
_FILL = f"""
export LC_ALL=C
dd if=/dev/urandom of="$VOLUME/filler" bs=65536 count={MOST // 65536} conv=fsync 2>&1
true
"""
_USE = 'rm "$VOLUME/filler" && dd if=/dev/urandom of="$VOLUME/new" bs=1048576 count=8 conv=fsync 2>&1'
# The C library's messages for ENOSPC and EDQUOT.
_FULL = ("No space left on device", "Disk quota exceeded")


@Tries("clone-of-a-full-volume", "Full volumes are cloned", TWO_VOLUMES, pods=5, copied_bytes=5 * SIZE)
def try_full_clone(bench: Bench) -> str:
    """Fill a volume until a write fails, clone it, verify the clone, and return what was observed.

    Raises Unsupported if the class has no clones or does not enforce the size of volumes, StorageFailure if the clone
    lacks data, or if it accepts no writes after a file was deleted.
    """
    offer_jobs(bench)
    source = bench.claim("full")
    free = _free_bytes(bench, source)
    require_clones(bench, source)
    size = int(free * CHECKED) // MIB * MIB
    write_bulk(bench, source, size=size)
    end = bench.run(source, _FILL)
    if not any(message in end for message in _FULL):
        raise bench.missing(
            f"StorageClass {source.storage_class} does not enforce volume sizes: a volume of {in_words(SIZE)} was not "
            f"full after {in_words(size + MOST)}: {end.strip()[-300:]}"
        )
    clone = ask_for_clone(bench, source)
    verify_bulk(bench, clone, size=size, what="on a clone of a full volume")
    try:
        bench.run(clone, _USE)
    except StorageFailure as error:
        raise StorageFailure(
            f"a clone of a full volume of StorageClass {source.storage_class} accepts no writes after a file was "
            f"deleted: {error}"
        ) from error
    return (
        f"a volume with {in_words(free)} of free space was filled and cloned; the clone held all {in_words(size)} with "
        "checksums, and accepted writes after a file was deleted"
    )


def _free_bytes(bench: Bench, claim: Claim) -> int:
    """Return the free bytes of a new volume. Raises Unsupported if filling it could take space from others."""
    sizes = _SIZES.search(bench.run(claim, SIZE_LINE))
    shown, free = (1024 * int(sizes[1]), 1024 * int(sizes[2])) if sizes else (0, 0)
    capacity = capacity_of(bench, claim)
    if capacity > MOST:
        raise bench.not_tried(
            f"StorageClass {claim.storage_class} creates volumes of {in_words(capacity)} for requests of "
            f"{in_words(SIZE)}; the test fills none that large"
        )
    if shown > MOST or "hostPath" in bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]:
        raise bench.missing(
            f"StorageClass {claim.storage_class} does not enforce volume sizes: a volume of {in_words(SIZE)} shows its "
            f"pods {in_words(shown)}, so they can fill space that others share; the test did not fill the volume"
        )
    return free
