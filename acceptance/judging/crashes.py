"""Crash + requirement -> verdict. Pure; the facts name the lost records, and what took a failover's time."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome, verdict_id, without_figures, without_limit
from acceptance.limits.declared import FAILOVER
from acceptance.limits.limit import Limit
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Outcome
from acceptance.text.errors import Unsupported
from acceptance.wording.crashes import LEFT_NODES, RULE, STAYS, TITLES

LOOK_S = 1.0
"""Time between two polls of pods and nodes: a failover time is no more exact."""

PATHS: dict[Failure, str] = {
    "failover": "failover.time",
    "failover-out-of-service": "failover.out_of_service_time",
    "drained": "drain.time",
}
"""Paths of limits by the failure after which volumes move."""


def judge_durability(record: DurabilityRecord) -> Verdict:
    """Fail if one acknowledged record is missing or torn: this needs no confidence interval."""
    fact_names = {"failure", "acknowledged", "read_on"} | ({"lost"} if record.lost else set())
    return without_figures(
        verdict_id(record.storage_class, "durability", record.failure, "holds"),
        storage_class=record.storage_class,
        limit=f"{RULE} after {TITLES[record.failure]}",
        status="fail" if record.lost else "pass",
        finding=Outcome(
            code="crashes.records_lost" if record.lost else "crashes.records_kept",
            facts=record.model_dump(mode="json", include=fact_names),
        ),
        at_most=0.0,
        count=record.lost_count,
    )


def judge_failover(record: FailoverRecord, limit: Limit) -> Verdict:
    """Return the verdict on the time; inconclusive if the polls were too far apart to decide."""
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
    """Return the verdict on a time between two polls of pods; `code` is the beginning of its code."""
    status = decide(max(seconds - LOOK_S, 0.0), seconds + LOOK_S, at_most=limit.bound)
    return outcome(
        limit,
        storage_class=storage_class,
        value=seconds,
        status=status,
        finding=Outcome(code=f"{code}{LIES[status]}", facts=dict(facts)),
    )


def skip_judging(record: FailoverRecord) -> Verdict:
    """Return a skipped verdict: the tier has no such limit. The facts hold the measured values."""
    key, bound = FAILOVER.bounds[PATHS[record.failure]]
    profile = bound.profile or FAILOVER.profile
    return without_limit(
        verdict_id(record.storage_class, profile, "none", "none"),
        storage_class=record.storage_class,
        profile=profile,
        finding=Outcome(code="crashes.failover_not_judged", facts={"key": key, **_move(record)}),
    )


def judge_release(record: FailoverRecord) -> Verdict:
    """Fail if the cluster still shows the volume on the node that it left. Raise Unsupported if it shows no such
    volume on any node: then nothing is known.
    """
    if record.stayed is None:
        raise Unsupported(
            f"capability 'attachments': the cluster shows no attachment of volumes of {record.storage_class}, and no "
            f"command shows its mounts, so it is unknown whether one remains on {record.failed_node}"
        )
    fact_names = {"failure", "failed_node", "node"} | ({"stayed"} if record.stayed else set())
    return without_figures(
        verdict_id(record.storage_class, "drain" if record.failure == "drained" else record.failure, "stayed", "holds"),
        storage_class=record.storage_class,
        limit=f"{STAYS} {LEFT_NODES[record.failure]}",
        status="fail" if record.stayed else "pass",
        finding=Outcome(
            code="crashes.volume_stayed" if record.stayed else "crashes.volume_released",
            facts=record.model_dump(mode="json", include=fact_names),
        ),
        at_most=0.0,
        count=len(record.stayed),
    )


def _move(record: FailoverRecord) -> dict[str, JsonValue]:
    """Return the node that the volume moved to, and the phases that took its time."""
    return record.model_dump(mode="json", include={"failure", "failed_node", "node", "phases"})
