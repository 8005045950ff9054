"""Control-plane record + limit -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.outcome import outcome
from acceptance.limits.ramps import ControlPlaneLimit
from acceptance.results.document import Status, Verdict
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.text.quantities import format_quantity

# What ended the ramp is no fault of the storage: a count below the required one then says nothing of it.
ENVIRONMENT = ("quota", "nodes_full", "node_lost", "goal")


def judge_ramp(record: ControlPlaneRecord, limit: ControlPlaneLimit) -> Verdict:
    """The verdict on one limit. A ramp has no interval: it was borne once, or it was not."""
    measured, status, reason = (_pods if limit.metric == "pods" else _ramp_down)(record, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=reason,
        measured=measured,
        unit=limit.unit,
    )


Finding = tuple[float | None, Status, str]


def _pods(record: ControlPlaneRecord, limit: ControlPlaneLimit) -> Finding:
    """Reached is reached, whatever ended the ramp beyond."""
    found, wanted = (format_quantity(value, unit="pods") for value in (record.pods, limit.value))
    on = f"on {len(record.per_node)} nodes" if len(record.per_node) != 1 else "on one node"
    said = (
        f"{found} with a volume each ran on {record.storage_class} ({on}) when the ramp of "
        f"{record.rate_per_s * 60:.4g} pods a minute ended after {format_quantity(record.ended.after_s, unit='s')}: "
        f"{record.ended.kind.replace('_', ' ')}, {record.ended.reason.rstrip('.')}"
    )
    if record.pods >= limit.value:
        return record.pods, "pass", f"{said}; the limit is at least {wanted}."
    if record.ended.kind in ENVIRONMENT:
        return (
            record.pods,
            "inconclusive",
            f"{said}. The storage was not asked for the {wanted} of the limit, so this cannot be judged.",
        )
    return record.pods, "fail", f"{said}. The limit is at least {wanted}: {limit.because.rstrip('.')}."


def _ramp_down(record: ControlPlaneRecord, limit: ControlPlaneLimit) -> Finding:
    down, wanted = record.ramp_down, format_quantity(limit.value, unit="s")
    pods = format_quantity(record.pods, unit="pods")
    if down.cleanup_s is not None and down.cleanup_s <= limit.value:
        shown = format_quantity(down.cleanup_s, unit="s", beside=limit.value)
        return (
            down.cleanup_s,
            "pass",
            f"PVCs and PVs of {pods} on {record.storage_class} were gone {shown} after the last pod was told to "
            f"end; the limit is at most {wanted}.",
        )
    if down.cleanup_s is not None:
        gone = f"were gone only {format_quantity(down.cleanup_s, unit='s', beside=limit.value)}"
    else:
        gone = f"were not gone {format_quantity(down.timeout_s, unit='s')}"
    left = f"; still there: {', '.join(down.remaining)}" if down.remaining else ""
    said = f"PVCs and PVs of {pods} on {record.storage_class} {gone} after the last pod was told to end{left}"
    if record.ended.kind == "node_lost":
        return down.cleanup_s, "inconclusive", f"{said}. A node was lost in the ramp: {record.ended.reason}."
    return down.cleanup_s, "fail", f"{said}. The limit is at most {wanted}: {limit.because.rstrip('.')}."
