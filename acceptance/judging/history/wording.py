"""What is said of a comparison with earlier runs: the part of a verdict's reason that follows its subject."""

from __future__ import annotations

from acceptance.judging.history.comparing import Comparison
from acceptance.limits.history import HistoryLimit
from acceptance.results.history import ChangePoint, TrendPoint
from acceptance.results.ratio_words import TIMES_FROM, amount, factor
from acceptance.text.program import PROGRAM
from acceptance.text.quantities import format_quantity

ACCEPT = f"`{PROGRAM} accept-level`"


def not_compared(earlier: int, this: TrendPoint | None, limit: HistoryLimit, *, before: int, others: int) -> str:
    """Why there is no comparison.

    `earlier`: runs of the accepted level and since; `before`: older ones; `others`: runs that cannot be compared.
    """
    if earlier < limit.runs:
        more = f" ({others} more differ in cluster, baseline class, sizes or the profile's text)" if others else ""
        begun = f" since a level was accepted ({before} before it)" if before else ""
        return (
            f"cannot be compared with earlier runs: the history has {earlier} of the same kind{begun}{more}, and the "
            f"level to compare with is that of the first {limit.runs}; each run adds itself"
        )
    if this is None:
        return "has no value in this run, so it cannot be compared with earlier ones"
    return "stalled in this run, so there is no ratio to earlier ones; see its other limits"


def compared(comparison: Comparison, this: TrendPoint) -> str:
    """What was found, how sure that is, and what follows from it."""
    limit = comparison.limit
    unit = limit.metric.unit
    shown = format_quantity(this.mean, unit=unit, beside=comparison.level)
    level = format_quantity(comparison.level, unit=unit, beside=this.mean)
    low, high = comparison.expected
    found = (
        f"is {shown}, {difference(comparison.ratio)} than the accepted level of {level} ({limit.runs} runs from "
        f"{_day(comparison.first)} on; noise explains two in a row at most {difference(low)} or {difference(high)})"
    )
    because = limit.because.rstrip(".")
    worse = f"worse than the {limit.wanted} allowed, beyond noise"
    if comparison.fall is not None:
        return (
            f"{found}; {_since(comparison.fall)}, {worse}, and not back since ({ACCEPT} accepts an intended "
            f"change): {because}"
        )
    if comparison.alone:
        return f"{found}, {worse}, but in this run alone: it fails if the next run is worse too"
    rise = f"{_since(comparison.rise)}: with {ACCEPT} a later fall from there is reported; " if comparison.rise else ""
    week, two = (_percent(comparison.smallest_fall(week=each)) for each in (True, False))
    return (
        f"{found}, not worse by more than {limit.wanted} beyond noise; {rise}two runs worse by {two} would have "
        f"been reported, or seven by {week}"
    )


def difference(ratio: float) -> str:
    """`18 % lower`, for a multiple of 0.82; from twice on in times, as all ratios are told: `11x higher`."""
    far = factor(ratio) >= TIMES_FROM
    return f"{amount(ratio, times=True) if far else _percent(ratio)} {'lower' if ratio < 1.0 else 'higher'}"


def _percent(ratio: float) -> str:
    return f"{abs(ratio - 1.0) * 100:.3g} %"


def _since(change: ChangePoint) -> str:
    return f"since {_day(change)} (run {change.run}) about {difference(1.0 + change.change)} than that level"


def _day(of: TrendPoint | ChangePoint) -> str:
    return of.date.date().isoformat()
