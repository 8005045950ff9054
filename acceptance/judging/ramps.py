"""Control-plane record + limit -> verdict. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Status, Verdict
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.requirement import Outcome

# What ended the ramp is no fault of the storage: a count below the required one then says nothing of it.
ENVIRONMENT = ("quota", "nodes_full", "node_lost", "goal")


def judge_ramp(record: ControlPlaneRecord, limit: Limit) -> Verdict:
    """The verdict on one limit. A ramp has no interval: it was borne once, or it was not."""
    measured, status, found = (_pods if limit.path == "pods" else _ramp_down)(record, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=found,
        measured=measured,
    )


Finding = tuple[float | None, Status, Outcome]


def _pods(record: ControlPlaneRecord, limit: Limit) -> Finding:
    """Reached is reached, whatever ended the ramp beyond."""
    status: Status = "fail"
    code = "too_few_pods"
    if record.pods >= limit.bound:
        status, code = "pass", "enough_pods"
    elif record.ended.kind in ENVIRONMENT:
        status, code = "inconclusive", "not_asked_for_enough"
    found = Outcome(
        code=f"ramps.{code}",
        facts={
            "nodes": len(record.per_node),
            "rate_per_s": record.rate_per_s,
            "ended": record.ended.model_dump(mode="json"),
        },
    )
    return record.pods, status, found


def _ramp_down(record: ControlPlaneRecord, limit: Limit) -> Finding:
    down = record.ramp_down
    took, facts = down.cleanup_s, {"pods": record.pods}
    if took is not None and took <= limit.bound:
        return took, "pass", Outcome(code="ramps.gone_in_time", facts={**facts})
    late: dict[str, JsonValue] = {**facts, "timeout_s": down.timeout_s, "remaining": [*down.remaining]}
    if record.ended.kind == "node_lost":
        found = Outcome(code="ramps.node_lost", facts={**late, "because": record.ended.reason})
        return took, "inconclusive", found
    return took, "fail", Outcome(code=f"ramps.{'not_gone' if took is None else 'gone_late'}", facts=late)
