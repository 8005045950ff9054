"""Expansion between pods: of a volume that no pod uses, and of one whose pod is recreated meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from acceptance.cluster.claims import Claim
from acceptance.cluster.events import recent_events
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.expansion import (
    ENOUGH,
    GROWING,
    WATCH,
    WRITE,
    ask,
    in_words,
    require_allowed,
    require_mark,
    wait_reported,
)
from acceptance.trials.features.sizes import SIZE_LINE, capacity_of, first_size_seen, size_in, twice, wait_grown


@Tries(
    "expansion-offline",
    "Volumes grow while no pod uses them",
    GROWING,
    pods=2,
    e2e=("offlineExpansion",),
    needs="expansion",
)
def try_offline_expansion(bench: Bench) -> str:
    """Verify that a volume grows while no pod uses it, and return what was observed.

    Raises Unsupported if the class does not allow expansion, StorageFailure if the volume does not grow, or if the next
    pod does not see its new size or its earlier data.
    """
    require_allowed(bench)
    claim, mark = bench.claim("idle"), new_mark()
    before = size_in(bench.run(claim, WRITE + SIZE_LINE, MARK=mark))
    size = twice(bench, claim)
    ask(bench, claim, size=size)
    wait_enlarged(bench, claim, size=size)
    after = size_in_a_new_pod(
        bench, claim, mark, size=size, before=before, after_what="no pod used it during the expansion"
    )
    return (
        f"a volume was expanded to {in_words(size)} while no pod used it, and the file system grew from "
        f"{in_words(before)} to {in_words(after)} for the next pod"
    )


@Tries("expansion-new-pod", "Volumes grow for a pod that is recreated meanwhile", GROWING, pods=2, needs="expansion")
def try_expansion_with_a_new_pod(bench: Bench) -> str:
    """Verify that a volume grows for a pod that is recreated after the request, and return what was observed.

    Raises what `try_offline_expansion` raises.
    """
    require_allowed(bench)
    claim, mark = bench.claim("renewed"), new_mark()
    pod = bench.start(claim, WRITE + WATCH, MARK=mark)
    before = first_size_seen(bench, pod)
    size = twice(bench, claim)
    ask(bench, claim, size=size)
    bench.end(pod)
    after = size_in_a_new_pod(
        bench, claim, mark, size=size, before=before, after_what="its pod was recreated during the expansion"
    )
    return (
        f"a volume grew from {in_words(before)} to {in_words(after)} for a pod that was recreated after the expansion "
        "was requested"
    )


def wait_enlarged(
    bench: Bench,
    claim: Claim,
    *,
    size: int,
    fatal: Callable[[], AcceptanceError | None] = lambda: None,
) -> None:
    """Wait until the PV is larger; the claim reports the size of the file system only once a pod has the volume.

    `fatal` returns the error that ends the wait immediately, if there is one.
    """
    wait_for(
        f"the PV of PVC {claim.name} (StorageClass {claim.storage_class}), which no pod uses, to be expanded to "
        f"{in_words(size)}",
        look=lambda: capacity_of(bench, claim),
        ready=lambda capacity: capacity >= size,
        state=lambda capacity: f"capacity {in_words(capacity)}",
        fatal=lambda _: fatal(),
        events=lambda: recent_events(bench.api, namespace=claim.namespace, name=claim.name),
        timeout_s=bench.timeout_s,
    )


def size_in_a_new_pod(bench: Bench, claim: Claim, mark: str, *, size: int, before: int, after_what: str) -> int:
    """Return the size in bytes that a new pod sees, once it is enough.

    Raises StorageFailure if it never is, if the data is lost, or if the claim never reports its size.
    """
    pod = bench.start(claim, WATCH)
    after = wait_grown(
        bench,
        pod,
        f"the file system of PVC {claim.name} (StorageClass {claim.storage_class}) to have its new size in a new pod "
        f"({after_what} to {in_words(size)})",
        before=before,
        minimum_size=before + int(ENOUGH * size / 2),
    )
    require_mark(bench.output_of(pod), claim, mark)
    wait_reported(bench, claim, size=size)
    return after
