"""Sentences about ramps: the number of pods with a volume each, and the time until their volumes were deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from acceptance.results.document import Verdict
from acceptance.results.ramps import Ended
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import reason_for_limit, wanted_of


def enough_pods(verdict: Verdict, *, nodes: int, rate_per_s: float, ended: Mapping[str, JsonValue]) -> str:
    """Return the sentence for a pass. `ended`: the fields of an `Ended`."""
    return f"{_ran(verdict, nodes, rate_per_s, ended)}; the limit is {wanted_of(verdict)}."


def too_few_pods(verdict: Verdict, *, nodes: int, rate_per_s: float, ended: Mapping[str, JsonValue]) -> str:
    """Return the sentence for a fail: the storage ended the ramp."""
    return f"{_ran(verdict, nodes, rate_per_s, ended)}. {_miss_reason(verdict)}"


def not_asked_for_enough(verdict: Verdict, *, nodes: int, rate_per_s: float, ended: Mapping[str, JsonValue]) -> str:
    """Return the sentence for a ramp that ended for a reason other than the storage."""
    assert verdict.requirement.bound is not None
    minimum = format_quantity(verdict.requirement.bound, unit="pods")
    return (
        f"{_ran(verdict, nodes, rate_per_s, ended)}. The ramp ended before it reached the limit of {minimum}, for a "
        "reason other than the storage, so the limit cannot be judged."
    )


def gone_in_time(verdict: Verdict, *, pods: int) -> str:
    """Return the sentence for volumes of `pods` pods that were all deleted in time."""
    return f"{_of_pods(verdict, pods)} were deleted {_took(verdict)}; the limit is {wanted_of(verdict)}."


def too_late(verdict: Verdict, *, pods: int, timeout_s: float, remaining: Sequence[str]) -> str:
    """Return the sentence for late deletion. `remaining`: the first objects that existed after the time-out."""
    return f"{_late(verdict, pods, timeout_s, remaining)}. {_miss_reason(verdict)}"


def node_lost(verdict: Verdict, *, pods: int, timeout_s: float, remaining: Sequence[str], because: str) -> str:
    """Return the sentence for a lost node, whose objects cannot be deleted. `because`: how the loss was detected."""
    return f"{_late(verdict, pods, timeout_s, remaining)}. A node was lost in the ramp: {because}."


SENTENCES = {
    "enough_pods": enough_pods,
    "too_few_pods": too_few_pods,
    "not_asked_for_enough": not_asked_for_enough,
    "gone_in_time": gone_in_time,
    "gone_late": too_late,
    "not_gone": too_late,
    "node_lost": node_lost,
}


def _ran(verdict: Verdict, nodes: int, rate_per_s: float, ramp_end: Mapping[str, JsonValue]) -> str:
    assert verdict.measured is not None  # the number of pods
    pods, end = format_quantity(verdict.measured, unit="pods"), Ended.model_validate(ramp_end)
    on = f"on {nodes} nodes" if nodes != 1 else "on one node"
    return (
        f"{pods} with a volume each ran on {verdict.storage_class} ({on}) when the ramp of {rate_per_s * 60:.4g} pods "
        f"a minute ended after {format_quantity(end.after_s, unit='s')}: {end.kind.replace('_', ' ')}, "
        f"{end.reason.rstrip('.')}"
    )


def _miss_reason(verdict: Verdict) -> str:
    return f"The limit is {wanted_of(verdict)}{reason_for_limit(verdict)}."


def _late(verdict: Verdict, pods: int, timeout_s: float, remaining: Sequence[str]) -> str:
    took = f"still existed {_after(timeout_s)}" if verdict.measured is None else f"were deleted only {_took(verdict)}"
    leftovers = f"; remaining: {', '.join(remaining)}" if remaining else ""
    return f"{_of_pods(verdict, pods)} {took}{leftovers}"


def _took(verdict: Verdict) -> str:
    assert verdict.measured is not None  # a time, because they were deleted eventually
    return _after(verdict.measured, beside=verdict.requirement.bound)


def _after(seconds: float, *, beside: float | None = None) -> str:
    return f"{format_quantity(seconds, unit='s', beside=beside)} after the request to end the last pod"


def _of_pods(verdict: Verdict, pods: int) -> str:
    return f"PVCs and PVs of {format_quantity(pods, unit='pods')} on {verdict.storage_class}"
