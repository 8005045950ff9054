"""A PVC that is deleted and recreated under its name: it gets a new volume, and not the old one."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.claims import Claim, remove_claim, wait_volume_gone
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.expansion import ENOUGH, in_words
from acceptance.trials.features.sizes import SIZE_LINE, size_in

LARGER = 2 * SIZE
_PART = "recreated"
_HOLDS = "held before: "
_BEGIN = f"""
{SIZE_LINE} || exit
[ ! -e "$VOLUME/mark" ] || echo "{_HOLDS}$(cat "$VOLUME/mark" 2>&1)"
echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark"
"""
_READ = 'cat "$VOLUME/mark" 2>&1; true'


@Tries(
    "recreated-claim",
    "A PVC that is recreated under its name gets a new volume",
    (VolumeUse(number=2, size=LARGER, total=3),),
    pods=4,
    recreations=2,
)
def try_recreated_claim(bench: Bench) -> str:
    """Recreate a PVC twice, and return what was observed.

    The first time it gets twice the size, and the old volume may still exist; the second time the old one is deleted.
    Raises StorageFailure if a new volume holds the old files or is too small, or if the deletion of the old volume
    takes the files of the new one.
    """
    first = bench.claim(_PART)
    _write_new(bench, first, old=())
    volumes = [bench.volume_of(first)]
    remove_claim(bench.api, first, timeout_s=bench.timeout_s)
    second = bench.claim(_PART, size=LARGER)
    mark = _write_new(bench, second, old=volumes)
    _wait_deleted(bench, volumes[0])
    if (content := bench.run(second, _READ).strip()) != mark:
        raise StorageFailure(
            f"PVC {second.name} of StorageClass {second.storage_class} was deleted and recreated, and its new volume "
            f"lost its data when the old one was deleted: {content or 'nothing'} in place of {mark}"
        )
    volumes.append(bench.volume_of(second))
    remove_claim(bench.api, second, timeout_s=bench.timeout_s)
    _wait_deleted(bench, volumes[1])
    _write_new(bench, bench.claim(_PART), old=volumes)
    return (
        f"a PVC was deleted and recreated under its name twice, first with {in_words(LARGER)}; each time it got a new "
        "volume of its size without the old files"
    )


def _write_new(bench: Bench, claim: Claim, *, old: Sequence[str]) -> str:
    """Write a mark to the claim's volume, and return it. Raises StorageFailure if the volume is not a new one."""
    mark = new_mark()
    output = bench.run(claim, _BEGIN, MARK=mark)
    about = f"PVC {claim.name} of StorageClass {claim.storage_class} was deleted and recreated under its name, and"
    if (volume := bench.volume_of(claim)) in old:
        raise StorageFailure(f"{about} was bound to its old PV {volume}")
    if _HOLDS in output:
        raise StorageFailure(
            f"{about} its new volume holds the file of an old one: {output.partition(_HOLDS)[2].strip()}"
        )
    minimum_size = int(ENOUGH * claim.size)
    if claim.size == LARGER:
        minimum_size = SIZE + int(ENOUGH * (LARGER - SIZE))
    if (size := size_in(output)) < minimum_size:
        raise StorageFailure(
            f"{about} its new volume has the size of the old one: expected at least {in_words(minimum_size)} for a "
            f"request of {in_words(claim.size)}, found {in_words(size)}"
        )
    return mark


def _wait_deleted(bench: Bench, volume: str) -> None:
    """Wait until the old volume is deleted, unless its class retains it."""
    if bench.storage_class.reclaim_policy == "Delete":
        wait_volume_gone(bench.api, volume, timeout_s=bench.timeout_s)
