"""An expansion that the storage refuses, and recovery from it: a smaller size is requested, and granted.

Kubernetes has taken the smaller size since 1.32 (RecoverVolumeExpansionFailure); before, a PVC that had requested too
much could never be expanded (kubernetes/kubernetes#73036). The refused size is the user's: thin pools grant nearly any.
"""

from __future__ import annotations

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim, ask_to_grow
from acceptance.cluster.events import recent_events
from acceptance.cluster.refusals import refuses_growth
from acceptance.cluster.resources import CLAIMS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import NotTried
from acceptance.text.quantities import parse_size
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.expansion import (
    ENOUGH,
    EXPANDED_SIZE,
    GROWING,
    WATCH,
    WRITE,
    ask,
    in_words,
    require_allowed,
    require_mark,
    wait_reported,
)
from acceptance.trials.features.sizes import first_size_seen, wait_grown

OPTION = "--storage-with refused-size"
_REFUSED = "VolumeResizeFailed"
"""The reason of the resizer's event about a refused expansion."""


@Tries("expansion-recovery", "A volume recovers from an expansion that is refused", GROWING, needs="expansion")
def try_expansion_recovery(bench: Bench) -> str:
    """Verify that a volume grows to a smaller size after a larger one was refused, and return what was observed.

    Raises NotTried if no size is named, or if the storage grants it, Unsupported if the class allows no expansion or
    the cluster takes no smaller size, StorageFailure if the volume does not recover.
    """
    require_allowed(bench)
    refused_size = _refused_size(bench)
    claim, mark = bench.claim("recovers"), new_mark()
    pod = bench.start(claim, WRITE + WATCH, MARK=mark)
    before = first_size_seen(bench, pod)
    ask(bench, claim, size=refused_size)
    _wait_refused(bench, claim, size=refused_size)
    _ask_for_less(bench, claim)
    wait_reported(bench, claim, size=EXPANDED_SIZE)
    after = wait_grown(
        bench,
        pod,
        f"the file system of PVC {claim.name} (StorageClass {claim.storage_class}) to grow to "
        f"{in_words(EXPANDED_SIZE)} after {in_words(refused_size)} were refused",
        before=before,
        minimum_size=before + int(ENOUGH * (EXPANDED_SIZE - SIZE)),
    )
    require_mark(bench.output_of(pod), claim, mark)
    return (
        f"an expansion to {in_words(refused_size)} was refused; then a volume grew from {in_words(before)} to "
        f"{in_words(after)} while a pod used it"
    )


def _refused_size(bench: Bench) -> int:
    """Return the size that the storage must refuse. Raises NotTried if none is named that is large enough."""
    if bench.refused_size is None:
        raise bench.not_tried(f"no size is named that the storage must refuse; name one with {OPTION}")
    if bench.refused_size <= EXPANDED_SIZE:
        raise bench.not_tried(
            f"expected {OPTION} above {in_words(EXPANDED_SIZE)}, found {in_words(bench.refused_size)}"
        )
    return bench.refused_size


def _wait_refused(bench: Bench, claim: Claim, *, size: int) -> None:
    """Wait until the storage has refused the expansion. Raises NotTried if it grants it, StorageFailure if neither."""

    def look() -> tuple[Object, list[str]]:
        pvc = bench.api.get(CLAIMS, claim.name, namespace=claim.namespace)
        return pvc["status"], recent_events(bench.api, namespace=claim.namespace, name=claim.name)

    def granted(state: tuple[Object, list[str]]) -> NotTried | None:
        capacity = parse_size((state[0].get("capacity") or {}).get("storage", "1"))
        return bench.not_tried(f"the storage grants {in_words(size)} to a volume") if capacity >= size else None

    wait_for(
        f"an expansion of PVC {claim.name} (StorageClass {claim.storage_class}) to {in_words(size)} to be refused",
        look=look,
        ready=lambda state: _is_infeasible(state[0]) or any(_REFUSED in event for event in state[1]),
        state=lambda state: "; ".join(state[1]) or "no event",
        fatal=granted,
        timeout_s=bench.timeout_s,
    )


def _is_infeasible(status: Object) -> bool:
    return str((status.get("allocatedResourceStatuses") or {}).get("storage", "")).endswith("ResizeInfeasible")


def _ask_for_less(bench: Bench, claim: Claim) -> None:
    """Request the smaller size. Raises Unsupported if the API server takes none."""
    try:
        ask_to_grow(bench.api, claim, size=EXPANDED_SIZE)
    except ApiError as error:
        if not refuses_growth(error.status, error.message):
            raise
        raise bench.missing(
            f"the cluster takes no smaller size after a refused expansion (before Kubernetes 1.32): {error.message}"
        ) from error
