"""A limit that passed + the same load at the end of the run -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.limit import decide_limit
from acceptance.limits.limit import Limit
from acceptance.results.document import Estimate, Verdict
from acceptance.results.requirement import Outcome
from acceptance.wording import sentence


def judge_again(verdict: Verdict, limit: Limit, again: Estimate | None, *, after_s: float) -> Verdict:
    """Return the verdict, which is inconclusive if the load at the end of the run certainly misses the limit.

    Of two loads one met the limit and one missed it, each with its whole interval: the storage is not steady. The
    cause may be the tests between them, so it is no fail. Then the interval reaches from the one load's to the
    other's. A percentile needs more load than there is at the end, and stays as it was judged.

    Args:
        again: what the load at the end showed of the limit's metric; None if nothing.
        after_s: seconds from the first load to that at the end.
    """
    keeps_verdict = verdict.status != "pass" or again is None or limit.metric.percentile is not None
    if keeps_verdict or again is None or decide_limit(again, limit) != "fail":
        return verdict
    ends = [end for end in (verdict.low, verdict.high, again.low, again.high) if end is not None]
    unsteady = verdict.model_copy(
        update={
            "status": "inconclusive",
            "low": min(ends),
            "high": max(ends),
            "outcome": Outcome(code="steadiness.changed", facts={"again": again.mean, "after_s": after_s}),
        }
    )
    return unsteady.model_copy(update={"reason": sentence(unsteady)})
