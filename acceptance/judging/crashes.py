"""Crash + demand -> verdict. Pure; the facts say which records are gone, and where a failover's time went."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from acceptance.judging.outcome import decide, not_judged, outcome, verdict_id, without_figures
from acceptance.limits.declared import FAILOVER
from acceptance.limits.limit import Limit
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Outcome
from acceptance.text.errors import Unsupported
from acceptance.wording.crashes import LEFT, RULE, STAYS, TITLES

LOOK_S = 1.0
"""Looks at pods and nodes are so far apart: a failover is known to no less."""

PATHS: dict[Failure, str] = {
    "failover": "failover.time",
    "failover-out-of-service": "failover.out_of_service_time",
    "drained": "drain.time",
}
"""what limits are on, by the failure that volumes move after"""


def judge_durability(record: DurabilityRecord) -> Verdict:
    """Fail when one acknowledged record is not there or not whole: there is nothing to be unsure of."""
    told = {"failure", "acknowledged", "read_on"} | ({"lost"} if record.lost else set())
    return without_figures(
        verdict_id(record.storage_class, "durability", record.failure, "holds"),
        storage_class=record.storage_class,
        limit=f"{RULE} after {TITLES[record.failure]}",
        status="fail" if record.lost else "pass",
        found=Outcome(
            code="crashes.records_lost" if record.lost else "crashes.records_kept",
            facts=record.model_dump(mode="json", include=told),
        ),
        at_most=0.0,
        count=record.lost_count,
    )


def judge_failover(record: FailoverRecord, limit: Limit) -> Verdict:
    """The verdict on the time; inconclusive where the looks were too far apart to tell."""
    return judge_time(
        limit,
        storage_class=record.storage_class,
        seconds=record.seconds,
        code="crashes.failover_",
        facts=_move(record),
    )


def judge_time(
    limit: Limit,
    *,
    storage_class: str,
    seconds: float,
    code: str,
    facts: Mapping[str, JsonValue],
) -> Verdict:
    """The verdict on a time between two looks at pods; `code` is what its code begins with."""
    status = decide(max(seconds - LOOK_S, 0.0), seconds + LOOK_S, at_most=limit.bound)
    return outcome(
        limit,
        storage_class=storage_class,
        measured=seconds,
        status=status,
        found=Outcome(code=f"{code}{LIES[status]}", facts=dict(facts)),
    )


def unjudged(record: FailoverRecord) -> Verdict:
    """No verdict: the tier has no such limit. The facts hold what was measured."""
    key, bound = FAILOVER.bounds[PATHS[record.failure]]
    profile = bound.profile or FAILOVER.profile
    return not_judged(
        verdict_id(record.storage_class, profile, "none", "none"),
        storage_class=record.storage_class,
        profile=profile,
        found=Outcome(code="crashes.failover_not_judged", facts={"key": key, **_move(record)}),
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
    told = {"failure", "failed_node", "node"} | ({"stayed"} if record.stayed else set())
    return without_figures(
        verdict_id(record.storage_class, "drain" if record.failure == "drained" else "kubelet-away", "stayed", "holds"),
        storage_class=record.storage_class,
        limit=f"{STAYS} {LEFT[record.failure]}",
        status="fail" if record.stayed else "pass",
        found=Outcome(
            code="crashes.volume_stayed" if record.stayed else "crashes.volume_released",
            facts=record.model_dump(mode="json", include=told),
        ),
        at_most=0.0,
        count=len(record.stayed),
    )


def _move(record: FailoverRecord) -> dict[str, JsonValue]:
    """Where the volume went, and what took its time."""
    return record.model_dump(mode="json", include={"failure", "failed_node", "node", "phases"})
