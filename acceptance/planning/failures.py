"""How long it takes to lose replicas, pods and nodes, and to see what is left."""

from __future__ import annotations

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.crashes import Failure
from acceptance.results.rebuilds import Pattern
from acceptance.text.quantities import format_quantity
from acceptance.trials.crashes.kubelets import AWAY_S
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.trials import CLAIM_SIZE
from acceptance.trials.disruptions.storage_pods import AFTER_S, MOST_PODS
from acceptance.trials.postgresql.trial import CLAIM_SIZE as DATABASE_SIZE
from acceptance.trials.rebuild.runner import BEFORE_S, SETTLE_S, RebuildSettings, smaller_of
from acceptance.trials.rebuild.volume import claim_size

SCATTERED = 5.0
"""How much longer it takes to write a file block by block with holes between them."""
LOOKS_S = 3.0
"""For a driver to lose a replica, and for looks at what it does."""
KUBELET_S = 10.0
"""For a kubelet to be stopped and started, and its node to be Ready again."""
DATABASE_S = 25.0
"""For a new PostgreSQL to be made and filled, and for one that was killed to be recovered and looked through.

Of a network file system, which makes its thousand small files durable one by one, it may be minutes.
"""
BACK_S = 20.0
"""For a pod of the storage system to be Ready again once it was killed."""
WORDS: dict[Failure, str] = {
    "pod-killed": "records, the writing pod killed",
    "pod-killed-and-moved": "records, the writing pod killed, read on another node",
    "node-failed": "records, the writing node failed and brought back",
    "failover": "records, the writing node failed, its volume used on another one",
    "failover-out-of-service": "records, the writing node failed and out of service, its volume used on another one",
    "drained": "records, the writing pod evicted, its volume used on another node",
    "kubelet-restarted": "records, the kubelet of the writing node restarted",
    "kubelet-away": "records, the writing pod deleted without its kubelet, its volume used on another node",
}


def rebuilt(
    storage_class: str, pattern: Pattern, settings: RebuildSettings, *, assumed: AssumedThroughput
) -> PlannedStep:
    """A volume filled with the pattern, and its replica lost and rebuilt, as often as asked; before it a smaller one.

    The driver may add a replica before it takes one away.
    """
    size, smaller = settings.sizes[pattern], smaller_of(settings.sizes[pattern], share=settings.smaller)
    claimed = claim_size(size)
    often = "" if settings.repeats == 1 else f", {settings.repeats} times"
    also = f", and one of {format_quantity(smaller, unit='B')}" if smaller else ""
    return PlannedStep(
        what=f"a replica of {pattern} on {storage_class} lost and rebuilt{often}{also}",
        about_s=sum(_one_size_s(each, pattern, settings, assumed) for each in (size, smaller) if each),
        volumes=(Volumes(storage_class=storage_class, number=1, size=claimed, beside=claimed),),
        pods=2,
    )


def _one_size_s(size: int, pattern: Pattern, settings: RebuildSettings, assumed: AssumedThroughput) -> float:
    writing_s = size / assumed.bandwidth * (SCATTERED if pattern == "alternating-4k" else 1.0)
    once_s = SETTLE_S + BEFORE_S + LOOKS_S + size / assumed.rebuild[pattern]
    return assumed.claim_s + writing_s + 2 * assumed.pod_s + settings.repeats * once_s + assumed.gone_s


def crashed(
    storage_class: str, failure: Failure, settings: CrashSettings, *, assumed: AssumedThroughput
) -> PlannedStep:
    """Records written, something crashed, records read."""
    lost_s = assumed.lost_node_s
    away_s = {
        "node-failed": LOOKS_S,
        "drained": LOOKS_S,
        "failover": lost_s,
        "failover-out-of-service": lost_s,
        "kubelet-restarted": AWAY_S + KUBELET_S,
        "kubelet-away": KUBELET_S,
    }.get(failure, 0.0)
    # A record is acknowledged when it has come through the pod's log, and the writer's end is waited for.
    seconds = assumed.claim_s + settings.write_s + 2 * assumed.pod_s + LOOKS_S + away_s + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: {WORDS[failure]}",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=CLAIM_SIZE),),
        pods=2,
    )


def storage_pods(storage_class: str, selectors: int, *, write_s: float, assumed: AssumedThroughput) -> PlannedStep:
    """Pods of the storage system killed, as many of each selector as are at the most; a new volume after each."""
    new_s = assumed.claim_s + assumed.pod_s + assumed.gone_s
    one_s = assumed.claim_s + write_s + 2 * assumed.pod_s + MOST_PODS * (BACK_S + AFTER_S + new_s) + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: records, pods of the storage system killed one at a time ({selectors} selector"
        f"{'s' * (selectors != 1)})",
        about_s=selectors * one_s,
        volumes=(Volumes(storage_class=storage_class, number=2, size=CLAIM_SIZE),),
        pods=2,
    )


def postgresql(storage_class: str, *, write_s: float, assumed: AssumedThroughput) -> PlannedStep:
    """An image looked into; a database made, loaded, killed and recovered."""
    seconds = assumed.claim_s + 2 * assumed.pod_s + DATABASE_S + write_s + LOOKS_S + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: PostgreSQL under load killed and recovered",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=DATABASE_SIZE),),
        pods=3,
    )
