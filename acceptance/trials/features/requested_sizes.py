"""Volumes of odd and decimal sizes: each must have at least the requested bytes.

Drivers that count in whole GiB round some sizes down, or never agree with Kubernetes on them
(kubernetes-csi/external-provisioner#199).
"""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import CLAIMS
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import parse_size
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.sizes import SIZE_LINE, capacity_of, size_in

SIZES = {"1500Mi": parse_size("1500Mi"), "4G": 4 * 10**9, "1Gi + 1": parse_size("1Gi") + 1}
"""Requested bytes, by their name in messages."""
FILES_LEAST = 0.85
"""The share of the requested bytes that a file system must have: its own structures take the rest. 4G rounded down to
3 GiB is 0.81 of the requested size, 1500Mi rounded down to 1 GiB 0.68. Proposed by this project, 2026-11."""
# Only some processes may ask the kernel for a device's size; the last requested byte is written and read instead.
# It is read only where it was written: beyond the end of a device, some versions of dd read all of it byte by byte.
LAST_BYTE = """
printf %s "$LETTER" | dd of="$VOLUME" bs=1 seek="$LAST" conv=notrunc,fsync 2> /dev/null &&
[ "$(dd if="$VOLUME" bs=1 skip="$LAST" count=1 2> /dev/null)" = "$LETTER" ] && echo "$MARK"
true
"""
_USES = tuple(VolumeUse(size=size) for size in SIZES.values())


@Tries(
    "requested-sizes",
    "Volumes of odd and decimal sizes have at least the requested size",
    _USES,
    pods=len(SIZES),
    arguments={"block": False},
)
@Tries(
    "block-requested-sizes",
    "Raw block volumes of odd and decimal sizes have at least the requested size",
    _USES,
    pods=len(SIZES),
    of_devices=True,
)
def try_requested_sizes(bench: Bench, *, block: bool = True) -> str:
    """Verify that volumes of these sizes have them, for Kubernetes and in a pod, and return what was observed.

    Raises Unsupported if the class has no raw block volumes, StorageFailure if a size is refused, or too small.
    """
    claims = {
        name: bench.claim(f"size-{number}", size=size, block=block)
        for number, (name, size) in enumerate(SIZES.items(), 1)
    }
    wrong, capacities = [], []
    for name, claim in claims.items():
        problem = _device_problem(bench, claim) if block else _files_problem(bench, claim)
        pv_bytes, pvc_bytes = capacity_of(bench, claim), _reported(bench, claim)
        capacities.append(f"{name}: {pv_bytes} bytes")
        for reporter, reported_bytes in (("PV", pv_bytes), ("PVC", pvc_bytes)):
            if reported_bytes < claim.size:
                problem = f"its {reporter} reports {reported_bytes} bytes"
        wrong += [f"{name} ({claim.size} bytes): {problem}"] if problem else []
    if wrong:
        raise StorageFailure(
            f"{len(wrong)} of {len(SIZES)} volumes of StorageClass {bench.storage_class.name} are smaller than "
            f"requested: {'; '.join(wrong)}"
        )
    return f"volumes had at least the requested sizes; capacities of the PVs: {', '.join(capacities)}"


def _device_problem(bench: Bench, claim: Claim) -> str | None:
    mark = new_mark()
    output = bench.run(claim, LAST_BYTE, MARK=mark, LETTER=mark[0], LAST=str(claim.size - 1))
    return None if mark in output.split() else "its last requested byte cannot be written and read"


def _files_problem(bench: Bench, claim: Claim) -> str | None:
    size = size_in(bench.run(claim, SIZE_LINE))
    if size >= FILES_LEAST * claim.size:
        return None
    return f"its file system has {size} bytes, less than {FILES_LEAST:.0%} of the request"


def _reported(bench: Bench, claim: Claim) -> int:
    """Return the bytes that the claim reports as its capacity."""
    pvc = bench.api.get(CLAIMS, claim.name, namespace=claim.namespace)
    capacity = (pvc["status"].get("capacity") or {}).get("storage")
    return 0 if capacity is None else parse_size(str(capacity))
