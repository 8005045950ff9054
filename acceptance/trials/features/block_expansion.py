"""Expansion of a raw block volume while a pod uses it: seen by writing at its new end."""

from __future__ import annotations

import re

from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.copies import GET, PLACES, PUT
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.expansion import GROWING, expand, in_words, require_allowed
from acceptance.trials.features.sizes import capacity_of

# What the kernel says of a device's size is for whoever may ask it; that a byte can be written there and read is more.
_SCRIPT = f"""{PUT}{GET}put {PLACES["before"]} || exit
while :; do
    end= ; put "$LAST" && end=$(get "$LAST")
    echo "end ${{end:-none}} begin $(get {PLACES["before"]})"
    sleep 1
done
"""
_SEEN = re.compile(r"^end (\S+) begin (.*)$", re.MULTILINE)


@Tries("block-expansion", "Raw block volumes grow while they are used", GROWING, needs="expansion", of_devices=True)
def try_block_expansion(bench: Bench) -> str:
    """How a device was seen to grow. Raises Unsupported where the class does not allow it, or has no devices,
    StorageFailure where it does not grow under the pod that has it, or what was there is gone."""
    require_allowed(bench)
    claim, mark = bench.claim("grows", block=True), new_mark()
    # A class that waits for a pod has no volume yet: then its size is the one that was asked for.
    size = 2 * claim.size
    pod = bench.start(claim, _SCRIPT, MARK=mark, LAST=str(size // 32 - 1))
    if (there := capacity_of(bench, claim)) >= size:
        raise bench.not_tried(f"PVs of StorageClass {claim.storage_class} have {in_words(there)} at the least")

    def seen() -> tuple[str, str] | None:
        found = _SEEN.findall(bench.output_of(pod))
        return found[-1] if found else None

    wait_for(
        f"a pod to write to the raw block volume of PVC {claim.name}",
        look=seen,
        ready=lambda now: now is not None,
        state=lambda now: "nothing written",
        timeout_s=bench.timeout_s,
    )
    expand(bench, claim, size=size)
    found = wait_for(
        f"the raw block volume of PVC {claim.name} (StorageClass {claim.storage_class}) to grow in the pod that uses "
        f"it: the PVC reports {in_words(size)} since it was expanded",
        look=seen,
        ready=lambda now: now is not None and now[0] == mark,
        state=lambda now: "nothing can be written at its new end, and read there",
        timeout_s=bench.timeout_s,
    )
    if found is None or found[1] != mark:
        raise StorageFailure(f"what was on the volume of PVC {claim.name} is no longer there since it was expanded")
    return f"a pod that had a raw block volume all along wrote and read at the end of its {in_words(size)}"
