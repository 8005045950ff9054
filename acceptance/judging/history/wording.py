"""What is said of a comparison with earlier runs: the part of a verdict's reason that follows its subject."""

from __future__ import annotations

import math

from acceptance.judging.history.comparing import Comparison
from acceptance.limits.history import FEWEST_RUNS
from acceptance.results.history import ChangePoint, TrendPoint
from acceptance.text.quantities import format_quantity


def not_compared(earlier: int, this: TrendPoint | None, *, others: int) -> str:
    """Why there is no comparison; `earlier` and `others`: runs that can be compared, and those that cannot."""
    if earlier < FEWEST_RUNS:
        more = f" ({others} more differ in cluster, baseline class, sizes or the profile's text)" if others else ""
        return (
            f"cannot be compared with earlier runs: the history has {earlier} of the same kind{more}, and at least "
            f"{FEWEST_RUNS} are needed; each run adds itself"
        )
    if this is None:
        return "has no value in this run, so it cannot be compared with earlier ones"
    return "stalled in this run, so there is no ratio to earlier ones; see its other limits"


def compared(comparison: Comparison, this: TrendPoint) -> str:
    """What was found, how sure that is, and what follows from it."""
    limit, expected = comparison.limit, comparison.expected
    unit = limit.metric.unit
    typical = math.exp(expected.middle)
    confidence = f"{(1.0 - comparison.error) * 100:.4g}"
    shown = format_quantity(this.mean, unit=unit, beside=typical)
    before = f"the {format_quantity(typical, unit=unit, beside=this.mean)} of the last {expected.runs} runs"
    found = (
        f"is {shown}, {difference(comparison.ratio)} than {before} ({confidence}% CI "
        f"{difference(comparison.low)} to {difference(comparison.high)})"
    )
    because = limit.because.rstrip(".")
    change = comparison.change_point
    if comparison.regressed:
        since = f"; {_since(change)}" if change else ""
        return f"{found}, worse than the {limit.wanted} allowed, beyond noise{since}: {because}"
    if change is not None and comparison.fell:
        return f"{found}; {_since(change)}, worse than the {limit.wanted} allowed, beyond noise: {because}"
    told = f"a change for the worse of {_percent(comparison.smallest_regression)} would have been told"
    notes = "; ".join(filter(None, [_since(change) if change else "", told]))
    return f"{found}, not worse by more than {limit.wanted} beyond noise; {notes}"


def difference(ratio: float) -> str:
    """`18 % lower`, for a multiple of 0.82."""
    return f"{_percent(ratio)} {'lower' if ratio < 1.0 else 'higher'}"


def _percent(ratio: float) -> str:
    return f"{abs(ratio - 1.0) * 100:.3g} %"


def _since(change: ChangePoint) -> str:
    day = change.date.date().isoformat()
    by = difference(1.0 + change.change)
    return f"since {day} (run {change.run}) about {by} than in the {change.before} runs before"
