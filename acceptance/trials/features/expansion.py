"""Expansion of a volume while a pod uses it: requested, granted, and seen by the pod."""

from __future__ import annotations

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim, ask_to_grow
from acceptance.cluster.events import recent_events
from acceptance.cluster.refusals import refuses_growth
from acceptance.cluster.resources import CLAIMS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity, parse_size
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.sizes import SIZE_LINE, first_size_seen, wait_grown

EXPANDED_SIZE = 2 * SIZE
GROWING = (VolumeUse(size=EXPANDED_SIZE),)
ENOUGH = 0.5
"""The share of the additional bytes that must show: a file system keeps some for itself."""
_CONDITIONS = ("Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError")
"""Conditions of a claim whose expansion is not over; a change of its VolumeAttributesClass has others."""

WRITE = 'echo "$MARK" > "$VOLUME/mark" && sync\n'
# The mark is printed first: output with a new size proves that the mark was read at that time, too.
WATCH = f'while :; do cat "$VOLUME/mark"; {SIZE_LINE}; sleep 1; done'


@Tries(
    "expansion",
    "Volumes grow while they are used",
    GROWING,
    e2e=("controllerExpansion", "nodeExpansion", "onlineExpansion"),
)
def try_expansion(bench: Bench) -> str:
    """Verify that a volume grows under a pod, and return what was observed.

    Raises Unsupported if the class does not allow it, StorageFailure if the volume does not grow, or not while it is
    used.
    """
    require_allowed(bench)
    claim, mark = bench.claim("grows"), new_mark()
    pod = bench.start(claim, WRITE + WATCH, MARK=mark)
    before = first_size_seen(bench, pod)
    expand(bench, claim, size=EXPANDED_SIZE)
    after = wait_grown(
        bench,
        pod,
        f"the file system of PVC {claim.name} (StorageClass {bench.storage_class.name}) to grow in the pod that uses "
        f"it (the PVC already reports {in_words(EXPANDED_SIZE)})",
        before=before,
        minimum_size=before + int(ENOUGH * (EXPANDED_SIZE - SIZE)),
    )
    require_mark(bench.output_of(pod), claim, mark)
    return f"a volume grew from {in_words(before)} to {in_words(after)} while a pod used it"


def require_allowed(bench: Bench) -> None:
    """Raise Unsupported if the class does not allow volumes to grow."""
    name = bench.storage_class.name
    if not bench.storage_class.allow_expansion:
        raise bench.missing(f"StorageClass {name} does not allow it (allowVolumeExpansion is not true)")


def require_mark(output: str, claim: Claim, mark: str) -> None:
    """Raise StorageFailure if a pod that prints the size and the mark repeatedly no longer finds the mark."""
    if mark not in output.splitlines()[-3:]:  # as many as the pod prints each time
        raise StorageFailure(f"the volume of PVC {claim.name} lost its data when it was expanded")


def ask(bench: Bench, claim: Claim, *, size: int) -> None:
    """Request `size` bytes.

    Raises StorageFailure if the request is refused although the class allows it, ApiError if a quota or a policy
    refuses it.
    """
    try:
        ask_to_grow(bench.api, claim, size=size)
    except ApiError as error:
        if not refuses_growth(error.status, error.message):
            raise
        raise StorageFailure(
            f"StorageClass {claim.storage_class} allows volume expansion, but PVC {claim.name} cannot be expanded: "
            f"{error.message}"
        ) from error


def expand(bench: Bench, claim: Claim, *, size: int) -> None:
    """Request `size` bytes, and wait until the claim reports them. Raises StorageFailure if it never does."""
    ask(bench, claim, size=size)
    wait_reported(bench, claim, size=size)


def wait_reported(bench: Bench, claim: Claim, *, size: int) -> None:
    """Wait until the claim reports that it has `size` bytes. Raises StorageFailure if it never does."""
    api = bench.api
    wait_for(
        f"PVC {claim.name} of StorageClass {claim.storage_class} to be expanded to {in_words(size)}",
        look=lambda: parse_size(
            api.get(CLAIMS, claim.name, namespace=claim.namespace)["status"].get("capacity", {}).get("storage", "1")
        ),
        ready=lambda capacity: capacity >= size,
        state=lambda capacity: f"capacity {in_words(capacity)}",
        events=lambda: recent_events(api, namespace=claim.namespace, name=claim.name),
        timeout_s=bench.timeout_s,
    )
    _wait_settled(bench, claim)


def _wait_settled(bench: Bench, claim: Claim) -> None:
    """Wait until the claim reports no expansion in progress or failed. Raises StorageFailure if that remains.

    A condition that remains has controllers and people wait for an expansion that is over.
    """
    wait_for(
        f"PVC {claim.name} of StorageClass {claim.storage_class}, which reports its new capacity, to report that its "
        "expansion is over",
        look=lambda: remains_of_expansion(bench.api.get(CLAIMS, claim.name, namespace=claim.namespace)["status"]),
        ready=lambda remains: not remains,
        state=", ".join,
        timeout_s=bench.timeout_s,
    )


def remains_of_expansion(status: Object) -> list[str]:
    """Return what a claim's status still reports of an expansion that is over; empty if it is settled."""
    conditions = [
        f"condition {condition['type']}"
        for condition in status.get("conditions") or []
        if condition["type"] in _CONDITIONS and condition["status"] == "True"
    ]
    resource_status = (status.get("allocatedResourceStatuses") or {}).get("storage")
    allocated, capacity = (
        (status.get(field) or {}).get("storage", "1") for field in ("allocatedResources", "capacity")
    )
    return [
        *conditions,
        *([f"allocatedResourceStatuses {resource_status}"] if resource_status else []),
        *([f"allocatedResources {allocated}"] if parse_size(allocated) > parse_size(capacity) else []),
    ]


def in_words(size: int) -> str:
    """Return the size in bytes in words, with a suitable unit."""
    return format_quantity(size, unit="B")
