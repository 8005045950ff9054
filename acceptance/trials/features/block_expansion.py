"""Expansion of a raw block volume while a pod uses it, verified by a write at its new end."""

from __future__ import annotations

import re

from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.copies import GET_FUNCTION, PLACES, PUT_FUNCTION
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.expansion import GROWING, expand, in_words, require_allowed
from acceptance.trials.features.sizes import capacity_of

# Only some processes may ask the kernel for a device's size; a byte that can be written and read there proves more.
_SCRIPT = f"""{PUT_FUNCTION}{GET_FUNCTION}put {PLACES["before"]} || exit
while :; do
    end= ; put "$LAST" && end=$(get "$LAST")
    echo "end ${{end:-none}} begin $(get {PLACES["before"]})"
    sleep 1
done
"""
_READINGS = re.compile(r"^end (\S+) begin (.*)$", re.MULTILINE)


@Tries("block-expansion", "Raw block volumes grow while they are used", GROWING, needs="expansion", of_devices=True)
def try_block_expansion(bench: Bench) -> str:
    """Verify that a raw block volume grows under a pod, and return what was observed.

    Raises Unsupported if the class does not allow expansion or has no raw block volumes, StorageFailure if the device
    does not grow under the pod that uses it, or if its earlier data is lost.
    """
    require_allowed(bench)
    claim, mark = bench.claim("grows", block=True), new_mark()
    # A class that waits for a pod has no volume yet: its size is then the requested one.
    size = 2 * claim.size
    pod = bench.start(claim, _SCRIPT, MARK=mark, LAST=str(size // 32 - 1))
    if (capacity := capacity_of(bench, claim)) >= size:
        raise bench.not_tried(
            f"PVs of StorageClass {claim.storage_class} have at least {in_words(capacity)}, so a request for "
            f"{in_words(size)} does not expand them"
        )

    def last_reading() -> tuple[str, str] | None:
        readings = _READINGS.findall(bench.output_of(pod))
        return readings[-1] if readings else None

    wait_for(
        f"a pod to write to the raw block volume of PVC {claim.name}",
        look=last_reading,
        ready=lambda reading: reading is not None,
        state=lambda reading: "nothing written",
        timeout_s=bench.timeout_s,
    )
    expand(bench, claim, size=size)
    reading = wait_for(
        f"the raw block volume of PVC {claim.name} (StorageClass {claim.storage_class}) to grow in the pod that uses "
        f"it (the PVC already reports {in_words(size)})",
        look=last_reading,
        ready=lambda reading: reading is not None and reading[0] == mark,
        state=lambda reading: "no data can be written to its new end and read back",
        timeout_s=bench.timeout_s,
    )
    if reading is None or reading[1] != mark:
        raise StorageFailure(f"the volume of PVC {claim.name} lost its data when it was expanded")
    return f"a raw block volume grew while a pod used it, which then wrote and read at the end of its {in_words(size)}"
