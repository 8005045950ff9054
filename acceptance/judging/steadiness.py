"""A limit that passed + the same load at the end of the run -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.limit import decide_limit
from acceptance.limits.tiers import Limit
from acceptance.results.document import Estimate, Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import in_words


def judge_again(passed: Verdict, limit: Limit, again: Estimate | None, *, after_s: float) -> Verdict:
    """Return the verdict, which is inconclusive if the load at the end of the run certainly misses the limit.

    Of two loads one met the limit and one missed it, each with its whole interval: the storage is not steady. The
    cause may be the tests between them, so it is no fail. Then the interval reaches from the one load's to the
    other's. A percentile needs more load than there is at the end, and stays as it was judged.

    Args:
        again: what the load at the end showed of the limit's metric; None if nothing.
        after_s: seconds from the first load to that at the end.
    """
    undecided = passed.status != "pass" or again is None or limit.metric.percentile is not None
    if undecided or again is None or decide_limit(again, limit) != "fail":
        return passed
    ends = [each for each in (passed.low, passed.high, again.low, again.high) if each is not None]
    first, last = (
        format_quantity(value, unit=limit.metric.unit, beside=limit.value)
        for value in (passed.measured or 0.0, again.mean)
    )
    bound = f"{limit.kind.replace('_', ' ')} {format_quantity(limit.value, unit=limit.metric.unit)}"
    return passed.model_copy(
        update={
            "status": "inconclusive",
            "low": min(ends),
            "high": max(ends),
            "reason": f"{limit.metric} of {limit.profile} on {passed.storage_class} is not steady: it was {first}, "
            f"within the limit {in_words(bound)}, and {last}, outside it, when the load was repeated "
            f"{after_s / 60:.0f} min later at the end of the run; find what slowed the storage down (credits, a cache, "
            "the tests in between), and repeat the run.",
        }
    )
