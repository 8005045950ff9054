"""Expansion of a volume while a pod uses it: asked for, granted, and seen by the pod."""

from __future__ import annotations

import re

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim, ask_to_grow
from acceptance.cluster.events import recent_events
from acceptance.cluster.resources import CLAIMS
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity, parse_size
from acceptance.trials.features.bench import SIZE, Bench, new_mark

GROWN = 2 * SIZE
ENOUGH = 0.5
"""The share of what was asked for in addition that must show: a file system keeps some for itself."""

_SCRIPT = 'echo "$MARK" > "$VOLUME/mark" && sync; while :; do df -Pk "$VOLUME"; cat "$VOLUME/mark"; sleep 1; done'
_SIZE = re.compile(r"^\S+ +(\d+) +\d+ +\d+ +\d+% ", re.MULTILINE)


def try_expansion(bench: Bench) -> str:
    """How the volume was seen to grow. Raises Unsupported where the class does not allow it, StorageFailure where it
    does not grow, or not while it is used."""
    name = bench.storage_class.name
    if not bench.storage_class.allow_expansion:
        raise bench.missing(f"StorageClass {name} does not allow it (allowVolumeExpansion is not true)")
    claim, mark = bench.claim("grows"), new_mark()
    pod = bench.start(claim, _SCRIPT, MARK=mark)

    def size_seen() -> int:
        sizes = _SIZE.findall(bench.output_of(pod))
        return 1024 * int(sizes[-1]) if sizes else 0

    before = wait_for(
        "the size of the volume to be seen",
        look=size_seen,
        ready=bool,
        state=lambda seen: "none",
        timeout_s=bench.timeout_s,
    )
    expand(bench, claim, size=GROWN)
    wanted = before + int(ENOUGH * (GROWN - SIZE))
    after = wait_for(
        f"the file system of PVC {claim.name} (StorageClass {name}) to grow in the pod that uses it: the PVC reports "
        f"{_bytes(GROWN)} since it was expanded",
        look=size_seen,
        ready=lambda seen: seen >= wanted,
        state=lambda seen: f"{_bytes(seen)}, and {_bytes(before)} before it was expanded",
        timeout_s=bench.timeout_s,
    )
    if mark not in bench.output_of(pod).splitlines()[-3:]:  # as many as the pod prints each time
        raise StorageFailure(f"what was on the volume of PVC {claim.name} is no longer there since it was expanded")
    return f"a volume grew from {_bytes(before)} to {_bytes(after)} under a pod that used it all along"


def expand(bench: Bench, claim: Claim, *, size: int) -> None:
    """Ask for `size` bytes, and wait until the claim has them as it says. Raises StorageFailure when it never does."""
    api = bench.api
    try:
        ask_to_grow(api, claim, size=size)
    except ApiError as error:
        if error.status not in (403, 422):
            raise
        raise StorageFailure(
            f"StorageClass {claim.storage_class} allows volume expansion, and PVC {claim.name} cannot be expanded: "
            f"{error.message}"
        ) from error
    wait_for(
        f"PVC {claim.name} of StorageClass {claim.storage_class} to be expanded to {_bytes(size)}",
        look=lambda: parse_size(
            api.get(CLAIMS, claim.name, namespace=claim.namespace)["status"].get("capacity", {}).get("storage", "1")
        ),
        ready=lambda seen: seen >= size,
        state=lambda seen: f"capacity {_bytes(seen)}",
        events=lambda: recent_events(api, namespace=claim.namespace, name=claim.name),
        timeout_s=bench.timeout_s,
    )


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")
