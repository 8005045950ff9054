"""The duration of losing replicas, pods and nodes, and of checking what is left."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.crashes import Failure
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.rebuilds import Pattern
from acceptance.text.quantities import format_quantity
from acceptance.trials.crashes.disturbing import AGAIN_S
from acceptance.trials.crashes.kubelets import AWAY_S
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.trials import CLAIM_SIZE
from acceptance.trials.disruptions.storage_pods import AFTER_S, MOST_PODS
from acceptance.trials.postgresql.trial import CLAIM_SIZE as DATABASE_SIZE
from acceptance.trials.rebuild.runner import BEFORE_S, SETTLE_S, RebuildSettings, smaller_of
from acceptance.trials.rebuild.volume import claim_size

SCATTERED_WRITE_FACTOR = 5.0
"""The factor by which writing a file block by block, with holes between the blocks, takes longer."""
LOOKS_S = 3.0
"""Time (s) for a driver to lose a replica, and for polling its state."""
KUBELET_S = 10.0
"""Time (s) to stop and start a kubelet, until its node is Ready again."""
DATABASE_S = 25.0
"""Time (s) to create and fill a new PostgreSQL, and to recover and check one that was killed.

On a network file system, which makes its thousand small files durable one by one, it may be minutes.
"""
BACK_S = 20.0
"""Time (s) until a killed pod of the storage system is Ready again."""
WORDS: dict[Failure, str] = {
    "pod-killed": "records, the writing pod killed",
    "pod-killed-and-moved": "records, the writing pod killed, read on another node",
    "node-failed": "records, the writing node failed and brought back",
    "failover": "records, the writing node failed, its volume used on another one",
    "failover-out-of-service": "records, the writing node failed and out of service, its volume used on another one",
    "drained": "records, the writing pod evicted, its volume used on another node",
    "kubelet-restarted": "records, the kubelet of the writing node restarted",
    "kubelet-away": "records, the writing pod deleted without its kubelet, its volume used on another node",
    **{failure: disturbance.plan for failure, disturbance in DISTURBANCES.items()},
}


def plan_rebuild(
    storage_class: str, pattern: Pattern, settings: RebuildSettings, *, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan the rebuilds of a lost replica of a volume with the pattern, before them that of a smaller volume.

    The driver may add a replica before it removes one.
    """
    size, smaller = settings.sizes[pattern], smaller_of(settings.sizes[pattern], share=settings.smaller)
    volume_size = claim_size(size)
    often = "" if settings.repeats == 1 else f", {settings.repeats} times"
    also = f", and one of {format_quantity(smaller, unit='B')}" if smaller else ""
    return PlannedStep(
        description=f"a replica of {pattern} on {storage_class} lost and rebuilt{often}{also}",
        about_s=sum(_one_size_s(one_size, pattern, settings, speeds) for one_size in (size, smaller) if one_size),
        volumes=(Volumes(storage_class=storage_class, number=1, size=volume_size, beside=volume_size),),
        pods=2,
    )


def _one_size_s(size: int, pattern: Pattern, settings: RebuildSettings, speeds: AssumedThroughput) -> float:
    writing_s = size / speeds.bandwidth * (SCATTERED_WRITE_FACTOR if pattern == "alternating-4k" else 1.0)
    once_s = SETTLE_S + BEFORE_S + LOOKS_S + size / speeds.rebuild[pattern]
    return speeds.claim_s + writing_s + 2 * speeds.pod_s + settings.repeats * once_s + speeds.gone_s


def plan_crash(
    storage_class: str,
    failure: Failure,
    settings: CrashSettings,
    *,
    speeds: AssumedThroughput,
    disturbed_s: Sequence[float] = (),
) -> PlannedStep:
    """Plan a crash while records are written, after which the records are read.

    `disturbed_s`: how long a disturbance lasts, each time that it is caused.
    """
    lost_s = speeds.lost_node_s
    away_s = {
        "node-failed": LOOKS_S,
        "drained": LOOKS_S,
        "failover": lost_s,
        "failover-out-of-service": lost_s,
        "node-shut-down": lost_s,
        "node-cut-off": lost_s + 2 * speeds.pod_s,
        "kubelet-restarted": AWAY_S + KUBELET_S,
        "kubelet-away": KUBELET_S,
    }.get(failure, 0.0) + sum(seconds + AGAIN_S + LOOKS_S for seconds in disturbed_s)
    # A record is acknowledged when it has arrived through the pod's log, and the trial waits for the writer's end.
    seconds = speeds.claim_s + settings.write_s + 2 * speeds.pod_s + LOOKS_S + away_s + speeds.gone_s
    return PlannedStep(
        description=f"{storage_class}: {WORDS[failure]}",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=CLAIM_SIZE),),
        pods=2,
    )


def storage_pods(storage_class: str, selectors: int, *, write_s: float, speeds: AssumedThroughput) -> PlannedStep:
    """Plan the killing of the storage system's pods, the maximum of each selector, with a new volume after each."""
    new_s = speeds.claim_s + speeds.pod_s + speeds.gone_s
    one_s = speeds.claim_s + write_s + 2 * speeds.pod_s + MOST_PODS * (BACK_S + AFTER_S + new_s) + speeds.gone_s
    return PlannedStep(
        description=f"{storage_class}: records, pods of the storage system killed one at a time ({selectors} selector"
        f"{'s' * (selectors != 1)})",
        about_s=selectors * one_s,
        volumes=(Volumes(storage_class=storage_class, number=2, size=CLAIM_SIZE),),
        pods=2,
    )


def postgresql(storage_class: str, *, write_s: float, speeds: AssumedThroughput) -> PlannedStep:
    """Plan the check of an image, and the creation, load, kill and recovery of a database."""
    seconds = speeds.claim_s + 2 * speeds.pod_s + DATABASE_S + write_s + LOOKS_S + speeds.gone_s
    return PlannedStep(
        description=f"{storage_class}: PostgreSQL under load killed and recovered",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=DATABASE_SIZE),),
        pods=3,
    )
