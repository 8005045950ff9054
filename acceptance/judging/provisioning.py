"""Times of claims + limit -> verdict. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Outcome

LOOKS_APART_S = 1.0
"""A claim is looked at no less often while it is waited for: it was bound so much earlier at most than it was seen."""


def judge_bind_time(seconds: Sequence[float], limit: Limit, *, storage_class: str) -> Verdict:
    """The verdict on the slowest of the class's claims; `seconds` until each was seen to be bound.

    None may be slower than the limit, so that no interval around a mean is needed: inconclusive is only what the looks
    are too far apart to tell. Raises ValueError for no claim at all.
    """
    if not seconds:
        raise ValueError("wanted the time of at least one PVC, found none")
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
        measured=slowest,
        interval=(low, slowest),
        status=status,
        found=Outcome(code=f"provisioning.{code}", facts=facts),
    )
