"""Control-plane record + limit -> verdict. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Status, Verdict
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.requirement import Outcome

# Ends that are no fault of the storage: a count below the required one then does not fail it.
ENVIRONMENT = ("quota", "nodes_full", "node_lost", "goal")


def judge_ramp(record: ControlPlaneRecord, limit: Limit) -> Verdict:
    """Return the verdict on one limit. A ramp has no interval: the storage supported it once, or did not."""
    value, status, finding = (_pods if limit.path == "pods" else _ramp_down)(record, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=finding,
        value=value,
    )


Finding = tuple[float | None, Status, Outcome]


def _pods(record: ControlPlaneRecord, limit: Limit) -> Finding:
    """Return the finding on the number of pods: a number that was reached counts, whatever ended the ramp later."""
    status: Status = "fail"
    code = "too_few_pods"
    if record.pods >= limit.bound:
        status, code = "pass", "enough_pods"
    elif record.ended.kind in ENVIRONMENT:
        status, code = "inconclusive", "not_asked_for_enough"
    finding = Outcome(
        code=f"ramps.{code}",
        facts={
            "nodes": len(record.per_node),
            "rate_per_s": record.rate_per_s,
            "ended": record.ended.model_dump(mode="json"),
        },
    )
    return record.pods, status, finding


def _ramp_down(record: ControlPlaneRecord, limit: Limit) -> Finding:
    down = record.ramp_down
    took, facts = down.cleanup_s, {"pods": record.pods}
    if took is not None and took <= limit.bound:
        return took, "pass", Outcome(code="ramps.gone_in_time", facts={**facts})
    late: dict[str, JsonValue] = {**facts, "timeout_s": down.timeout_s, "remaining": [*down.remaining]}
    if record.ended.kind == "node_lost":
        finding = Outcome(code="ramps.node_lost", facts={**late, "because": record.ended.reason})
        return took, "inconclusive", finding
    return took, "fail", Outcome(code=f"ramps.{'not_gone' if took is None else 'gone_late'}", facts=late)
