"""Bind times of PVCs + limit -> verdict. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Outcome

LOOKS_APART_S = 1.0
"""The longest time (s) between two polls of a PVC: it was bound at most this much earlier than it was seen to be."""


def judge_bind_time(seconds: Sequence[float], limit: Limit, *, storage_class: str) -> Verdict:
    """Return the verdict on the slowest of the class's PVCs; `seconds`: until each was seen to be bound.

    None may be slower than the limit, so no interval around a mean is needed: the verdict is inconclusive only if the
    polls were too far apart to decide. Raise ValueError if there is no PVC.
    """
    if not seconds:
        raise ValueError("expected the time of at least one PVC, found none")
    slowest = max(seconds)
    low = max(0.0, slowest - LOOKS_APART_S)
    status = decide(low, slowest, at_most=limit.bound)
    facts: dict[str, JsonValue] = {"claims": len(seconds)}
    code = LIES[status]
    if status == "inconclusive":
        code, facts = "looks_too_far_apart", {**facts, "looks_apart_s": LOOKS_APART_S}
    return outcome(
        limit,
        storage_class=storage_class,
        value=slowest,
        interval=(low, slowest),
        status=status,
        finding=Outcome(code=f"provisioning.{code}", facts=facts),
    )
