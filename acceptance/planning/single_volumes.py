"""How long the life of a volume, its features, and data that is read back block by block take."""

from __future__ import annotations

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.failures import LOOKS_S
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.features import TITLES, Capability
from acceptance.settings.run import Settings
from acceptance.text.quantities import format_size
from acceptance.trials.features.bench import SIZE
from acceptance.trials.features.expansion import GROWN

WRITINGS = 3
"""How often a file is written until a rebuild is seen to have begun during one of them."""
_COPIES: tuple[Capability, ...] = ("snapshot", "clone", "read-only-many", "mount-options")
"""those that take a second volume"""
_PODS: dict[Capability, int] = {
    "snapshot": 4,
    "clone": 5,
    "shared": 2,
    "read-only": 2,
    "locks": 2,
    "appends": 3,
    "visibility": 2,
    "one-pod": 2,
    "read-only-many": 3,
    "shared-block": 2,
    "mount-options": 3,
    "group-policy": 5,
    "node-limit": 2,
}
_STATISTICS_S = 75.0
"""A kubelet looks at volumes once a minute."""


def on_trial(storage_class: str, what: str, *, size: int, pods: int, assumed: AssumedThroughput) -> PlannedStep:
    """A volume in its life: claimed, used by one pod after the other, deleted."""
    seconds = assumed.claim_s + (pods - 1) * assumed.pod_s + 1.0
    return PlannedStep(
        what=f"{storage_class}: {what}",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=size),),
        pods=pods,
    )


def featured(
    storage_class: str, capability: Capability, *, node_volumes: int = 0, assumed: AssumedThroughput
) -> PlannedStep:
    """One capability tried; a copy is a second volume, a snapshot one more, and several pods look at them.

    `node_volumes`: so many a node may be filled with; one more is made.
    """
    size = GROWN if capability == "expansion" else SIZE
    copies = node_volumes + 1 if capability == "node-limit" else 2 if capability in _COPIES else 1
    pods = _PODS.get(capability, 1)
    seconds = copies * assumed.claim_s + max(0, pods - copies) * assumed.pod_s + assumed.gone_s
    seconds += _STATISTICS_S if capability == "statistics" else 0.0
    return PlannedStep(
        what=f"{storage_class}: {TITLES[capability]}",
        about_s=seconds,
        volumes=(
            Volumes(
                storage_class=storage_class, number=copies, size=size, beside=SIZE if capability == "snapshot" else 0
            ),
        ),
        pods=pods,
    )


def snapped(storage_class: str, *, write_s: float, assumed: AssumedThroughput) -> PlannedStep:
    """Records written, a snapshot taken meanwhile, restored to a second volume, and deleted."""
    seconds = 2 * assumed.claim_s + write_s + assumed.pod_s + 2 * LOOKS_S + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: records, a snapshot taken and deleted while they are written",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=2, size=SIZE, beside=SIZE),),
        pods=2,
    )


def filled(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A volume filled and half of it written again, read each time, and grown to twice its size; beside it another."""
    size = settings.volume_size
    # Checksums are worked out beside the writing, which is half as fast for it; it is read three times.
    seconds = 2 * assumed.claim_s + 7 * assumed.pod_s + (2 * 1.5 + 3) * size / assumed.bandwidth + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: a volume filled to its end",
        about_s=seconds,
        volumes=(
            Volumes(storage_class=storage_class, number=1, size=size),
            Volumes(storage_class=storage_class, number=1, size=2 * size),
        ),
        pods=9,
    )


def written(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A file written in full with checksums, and read in the same pod."""
    # Each block's checksum is worked out while it is written, which takes about as long again.
    seconds = assumed.claim_s + 3 * settings.test_size / assumed.bandwidth
    return PlannedStep(
        what=f"{format_size(settings.test_size)} with checksums written to {storage_class} and read again",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=settings.volume_size, lasts="file"),),
        pods=1,
    )


def verified(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """All of the file read in a new pod."""
    seconds = assumed.pod_s + settings.test_size / assumed.bandwidth
    return PlannedStep(what=f"the same file of {storage_class} read by a new pod", about_s=seconds, pods=1)


def rewritten(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A file written over and over while a replica is rebuilt, and read again."""
    file_s = settings.test_size / assumed.bandwidth
    healing_s = settings.test_size / assumed.rebuild["full-data"] / 2
    seconds = assumed.claim_s + 2 * WRITINGS * file_s + 2 * assumed.pod_s + LOOKS_S + healing_s + file_s
    return PlannedStep(
        what=f"a file on {storage_class} written anew during the rebuild of a replica, and read again",
        about_s=seconds,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=1,
                size=settings.volume_size,
                lasts="file",
                beside=settings.volume_size,
            ),
        ),
        pods=3,
    )
