"""Sentences about crashes and failovers: lost records, the phases of a failover, and leftovers on the old node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.crashes import Failure, Phase
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Renderer, wherever_it_lies
from acceptance.wording.polled_times import held_to, without_limit
from acceptance.wording.records import Ranges, count_in, ranges_in_words, shown_time

RULE = "every acknowledged record is present and intact"
STAYS = "no trace of a volume remains on"
TITLES: dict[Failure, str] = {
    "pod-killed": "the pod was killed",
    "pod-killed-and-moved": "the pod was killed and the volume moved",
    "node-failed": "the node failed and came back",
    "failover": "the node failed and the volume moved",
    "failover-out-of-service": "the node failed, was tainted as out of service, and the volume moved",
    "drained": "the pod was evicted and the volume moved",
    "kubelet-restarted": "the kubelet of its node was restarted",
    "kubelet-away": "the pod was deleted while its kubelet was down and the volume moved",
    "node-rejoined": "a node that had been cut off rejoined while the pod wrote",
    **{failure: disturbance.title for failure, disturbance in DISTURBANCES.items()},
}
LEFT_NODES: dict[Failure, str] = {
    "drained": "a node that was drained",
    "kubelet-away": "a node whose kubelet was down when its pod was deleted",
    **{failure: disturbance.node for failure, disturbance in DISTURBANCES.items()},
}
_MOVES: dict[Failure, str] = {
    "failover": "failover on",
    "failover-out-of-service": "failover by the out-of-service taint on",
    "drained": "drain on",
    "kubelet-away": "pod deletion without a running kubelet on",
}
_NEITHER = "neither the cluster nor the target's command for mounts, if there is one, still showed it on {node}"
_LOOKED_AT: dict[Failure, str] = {
    "drained": "the cluster no longer showed it as attached to {node} or in use there",
    "kubelet-away": _NEITHER,
    **dict.fromkeys(DISTURBANCES, _NEITHER),
}


def records_kept(verdict: Verdict, *, failure: Failure, acknowledged: int, read_on: str) -> str:
    """Return `all 1,930 acknowledged records are present and intact on fast after ...`."""
    after = _after(verdict, failure, read_on)
    return f"all {acknowledged:,} acknowledged records are present and intact {after}."


def records_lost(verdict: Verdict, *, failure: Failure, acknowledged: int, read_on: str, lost: Ranges) -> str:
    """Return `412 of 1,930 acknowledged records are lost on fast after ...: 1,519 to 1,930; ...`."""
    lost_count = count_in(lost)
    count = f"all {acknowledged:,}" if lost_count == acknowledged else f"{lost_count:,} of {acknowledged:,}"
    return (
        f"{count} acknowledged records are lost {_after(verdict, failure, read_on)}: "
        f"{ranges_in_words(lost)}; the storage acknowledged them before they were durable, or lost them later."
    )


def failover_against_limit(verdict: Verdict, **move: Any) -> str:
    """Return the sentence for a failover that was compared with a limit. `move`: the arguments of `_move`."""
    return held_to(verdict, _move(verdict, **move))


def failover_without_limit(verdict: Verdict, *, key: str, **move: Any) -> str:
    """Return the sentence for a failover without a limit. `key`: the key of the limit that the tier does not have."""
    return without_limit(_move(verdict, **move), section="failover", key=key)


def volume_release(verdict: Verdict, *, failure: Failure, failed_node: str, node: str) -> str:
    """Return the sentence for a volume of which nothing remained on the node that it left."""
    return f"{_new_write(verdict, failure, node)}, and {_LOOKED_AT[failure].format(node=failed_node)}."


def volume_leftovers(verdict: Verdict, *, failure: Failure, failed_node: str, node: str, stayed: Sequence[str]) -> str:
    """Return the sentence for a volume that remained on the node that it left. `stayed`: the observed remains."""
    return (
        f"{_new_write(verdict, failure, node)}, but it remained on {failed_node}: {', '.join(stayed)}; a volume that "
        "stays attached to a node may be unavailable to other nodes, and that node may still write to it."
    )


SENTENCES: dict[str, Renderer] = {
    "records_kept": records_kept,
    "records_lost": records_lost,
    **wherever_it_lies("failover", failover_against_limit),
    "failover_not_judged": failover_without_limit,
    "volume_released": volume_release,
    "volume_stayed": volume_leftovers,
}


def _after(verdict: Verdict, failure: Failure, read_on: str) -> str:
    return f"on {verdict.storage_class} after {TITLES[failure]} (read on {read_on})"


def _move(verdict: Verdict, *, failure: Failure, failed_node: str, node: str, phases: Sequence[dict[str, Any]]) -> str:
    """Return `failover on fast took 58.2 s from the last durable write on n1 to the first on n2: ...`."""
    parts = [Phase.model_validate(phase) for phase in phases]
    phase_times = ", ".join(f"{phase.name} {shown_time(phase.seconds)}" for phase in parts)
    return (
        f"{_MOVES[failure]} {verdict.storage_class} took {shown_time(sum(phase.seconds for phase in parts))} from the "
        f"last durable write on {failed_node} to the first on {node}: {phase_times}"
    )


def _new_write(verdict: Verdict, failure: Failure, node: str) -> str:
    how = "a drain" if failure == "drained" else TITLES[failure]
    return f"after {how} the volume of {verdict.storage_class} was written on {node}"
