"""Crash + demand -> verdict. Pure; reasons say which records are gone, and where a failover's time went."""

from __future__ import annotations

from acceptance.judging.outcome import decide, not_judged, outcome, verdict_id, with_count, without_figures
from acceptance.limits.crashes import DrainLimit, FailoverLimit, OutOfServiceLimit
from acceptance.limits.disruptions import DisruptionLimit
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.document import Verdict
from acceptance.text.errors import Unsupported
from acceptance.text.quantities import format_quantity

RULE = "every acknowledged record is there and whole"
LOOK_S = 1.0
"""Looks at pods and nodes are so far apart: a failover is known to no less."""
SHOWN_RANGES = 5

TITLES: dict[Failure, str] = {
    "pod-killed": "the pod was killed",
    "pod-killed-and-moved": "the pod was killed and the volume moved",
    "node-failed": "the node failed and came back",
    "failover": "the node failed and the volume moved",
    "failover-out-of-service": "the node failed, was tainted as out of service, and the volume moved",
    "drained": "the pod was evicted and the volume moved",
    "kubelet-restarted": "the kubelet of its node was restarted",
    "kubelet-away": "the pod was deleted while its kubelet was away and the volume moved",
}
_MOVES: dict[Failure, str] = {
    "failover": "failover on",
    "failover-out-of-service": "failover by the out-of-service taint on",
    "drained": "drain on",
    "kubelet-away": "deletion without its kubelet on",
}
LEFT: dict[Failure, str] = {
    "drained": "a node that was drained",
    "kubelet-away": "a node whose kubelet was away when its pod was deleted",
}
_LOOKED_AT: dict[Failure, str] = {
    "drained": "the cluster showed it neither attached to {node} nor in use there any more",
    "kubelet-away": "neither the cluster nor the target's command for mounts, if there is one, showed it on {node} any "
    "more",
}
_LIMITS: dict[Failure, type[FailoverLimit]] = {
    "failover": FailoverLimit,
    "failover-out-of-service": OutOfServiceLimit,
    "drained": DrainLimit,
}


def judge_durability(record: DurabilityRecord) -> Verdict:
    """Fail when one acknowledged record is not there or not whole: there is nothing to be unsure of."""
    verdict = without_figures(
        verdict_id(record.storage_class, "durability", record.failure, "holds"),
        storage_class=record.storage_class,
        limit=f"{RULE} after {TITLES[record.failure]}",
        status="fail" if record.lost else "pass",
        reason=durability_sentence(record),
    )
    return with_count(verdict, record.lost_count)


def durability_sentence(record: DurabilityRecord) -> str:
    """`412 of 1,930 acknowledged records are gone: 1,519 to 1,930; ...`"""
    after = f"on {record.storage_class} after {TITLES[record.failure]} (read on {record.read_on})"
    if not record.lost:
        return f"all {record.acknowledged:,} acknowledged records are there and whole {after}."
    all_ = record.lost_count == record.acknowledged
    count = f"all {record.acknowledged:,}" if all_ else f"{record.lost_count:,} of {record.acknowledged:,}"
    return (
        f"{count} acknowledged records are gone {after}: "
        f"{ranges_in_words(record.lost)}; the storage acknowledged them before they were durable, or lost them later."
    )


def ranges_in_words(ranges: list[tuple[int, int]]) -> str:
    """`7, 12 to 19 and 3 more places`"""
    shown = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in ranges[:SHOWN_RANGES]]
    more = len(ranges) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more place{'s' * (more > 1)}" if more else "")


def judge_failover(record: FailoverRecord, limit: FailoverLimit) -> Verdict:
    """The verdict on the time; inconclusive where the looks were too far apart to tell."""
    sentence = failover_sentence(record)
    return judge_time(limit, storage_class=record.storage_class, seconds=record.seconds, sentence=sentence)


def judge_time(limit: FailoverLimit | DisruptionLimit, *, storage_class: str, seconds: float, sentence: str) -> Verdict:
    """The verdict on a time between two looks at pods; `sentence` says what took so long."""
    status = decide(max(seconds - LOOK_S, 0.0), seconds + LOOK_S, at_most=limit.at_most)
    because = {
        "pass": "",
        "fail": f": {limit.because.rstrip('.')}",
        "inconclusive": "; the limit lies within the 1 s polling resolution, so pass and fail cannot be told apart",
    }[status]
    return outcome(
        limit,
        storage_class=storage_class,
        measured=seconds,
        unit="s",
        status=status,
        reason=f"{sentence}; wanted {limit.wanted}{because}.",
    )


def unjudged(record: FailoverRecord) -> Verdict:
    """No verdict: the tier has no such limit. The reason holds what was measured."""
    kind = _LIMITS[record.failure]
    return not_judged(
        verdict_id(record.storage_class, kind.profile, "none", "none"),
        storage_class=record.storage_class,
        profile=kind.profile,
        reason=f"{failover_sentence(record)}; measured, not judged: the tier has no limit; to judge it add one under "
        f"failover: {kind.key}:",
    )


def judge_stayed(record: FailoverRecord) -> Verdict:
    """Fail when the cluster still shows the volume on the node that was drained. Raises Unsupported where it shows
    nothing of such volumes on any node: nothing is known then.
    """
    if record.stayed is None:
        raise Unsupported(
            f"capability 'attachments': the cluster shows no attachment of volumes of {record.storage_class}, and no "
            f"command shows its mounts, so nobody can tell whether one stays on {record.failed_node}"
        )
    how, id_ = ("a drain", "drain") if record.failure == "drained" else (TITLES[record.failure], "kubelet-away")
    moved = f"after {how} the volume of {record.storage_class} was written on {record.node}"
    return without_figures(
        verdict_id(record.storage_class, id_, "stayed", "holds"),
        storage_class=record.storage_class,
        limit=f"nothing of a volume is seen to stay on {LEFT[record.failure]}",
        status="fail" if record.stayed else "pass",
        reason=f"{moved}, and still on {record.failed_node} there was {', '.join(record.stayed)}; a node keeps what is "
        "attached to it from other nodes, and may still write to it."
        if record.stayed
        else f"{moved}, and {_LOOKED_AT[record.failure].format(node=record.failed_node)}.",
    )


def failover_sentence(record: FailoverRecord) -> str:
    """`failover on fast took 58.2 s from the last durable write on n1 to the first on n2: ...`"""
    parts = ", ".join(f"{phase.name} {shown_time(phase.seconds)}" for phase in record.phases)
    return (
        f"{_MOVES[record.failure]} {record.storage_class} took {shown_time(record.seconds)} from the last durable "
        f"write on {record.failed_node} to the first on {record.node}: {parts}"
    )


def shown_time(seconds: float) -> str:
    """`58.2 s`, `6.4 min`: to the tenth of a second, for looks are not closer together."""
    return f"{seconds:.1f} s" if seconds < 60 else format_quantity(round(seconds, 1), unit="s")
