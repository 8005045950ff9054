"""How a ratio is told, wherever it is told: in pages, on the terminal, in summaries and in the reasons of verdicts.

A comparison is told with its direction: `11x slower`, `38 % faster`; of CPU time and stalls `3.2x more`. A share of
what was asked for, or of what was there before, is told in percent: `97.8 %`. Any other ratio is told as a multiple:
`3.1x`.
"""

from __future__ import annotations

from contextlib import suppress

from acceptance.results.document import Verdict
from acceptance.results.metrics import CPU, CPU_PER_OPERATION, STALL, Metric
from acceptance.text.quantities import format_quantity

TIMES_FROM = 2.0
"""From so many times on a comparison is told in times, below in percent: nobody reads +1,025 % as eleven times."""
OF_RATIOS = ("not_better_than_baseline_by", "not_worse_than_baseline_by")
"""The rules of verdicts on candidate / baseline"""
_NOT_OF_SPEED = (CPU, CPU_PER_OPERATION, STALL)
_COMPARISONS = (*OF_RATIOS, "not_worse_than_before_by")
SHARES = ("rate_limited", "total_at_last_step", "foreground_iops", "writes_left_with_snapshots")
_MOST_DIGITS = 9  # what is nearer than that differs by how floats are added


def compared(ratio: float, metric: str, *, beside: float | None = None) -> str:
    """`11x slower`, `38 % faster`, `the same`; of a metric that this suite does not know, more or less of it.

    `beside`: a ratio from which it must be told apart by its digits, such as a limit.
    """
    if ratio == 1.0:
        return "the same"
    return f"{amount(ratio, times=factor(ratio) >= TIMES_FROM, beside=beside)} {direction(ratio, metric)}"


def compared_interval(low: float, high: float, metric: str, *, ratio: float, beside: float | None = None) -> str:
    """`4x to 29x`, of the same direction as `ratio`; where both are in it, `20 % faster to 5.3x slower`."""
    if low <= 1.0 <= high or low <= 0.0:
        return f"{compared(low, metric, beside=beside)} to {compared(high, metric, beside=beside)}"
    times = factor(ratio) >= TIMES_FROM
    return " to ".join(amount(each, times=times, beside=beside) for each in sorted((low, high), key=factor))


def direction(ratio: float, metric: str) -> str:
    """`faster` or `slower`; `more` or `less` where a metric says nothing of speed."""
    if metric not in _NOT_OF_SPEED:
        with suppress(ValueError):
            return "faster" if (ratio > 1.0) == Metric.parse(metric).higher_is_better else "slower"
    return "more" if ratio > 1.0 else "less"


def allowed(rule: str, metric: str, *, bound: float, baseline: str) -> str:
    """`not faster than local-path by more than 20 %`; of CPU time `at most 2x that of local-path`."""
    if metric in _NOT_OF_SPEED:
        too_high = (rule == OF_RATIOS[0]) == Metric.parse(metric).higher_is_better
        return f"{'at most' if too_high else 'at least'} {format_quantity(bound, unit='ratio')} that of {baseline}"
    word = "faster" if rule == OF_RATIOS[0] else "slower"
    return f"not {word} than {baseline} by more than {amount(bound, times=factor(bound) >= TIMES_FROM)}"


def share(value: float, *, beside: float | None = None) -> str:
    """`97.8 %`: what was reached, of what was asked for or was there before."""
    percent = _apart(100 * value, None if beside is None else 100 * beside, digits=1)
    return f"{percent.removesuffix('.0')} %"


def ratio_of(verdict: Verdict, ratio: float) -> str:
    """The verdict's measured ratio as its rule asks for it."""
    if verdict.rule in _COMPARISONS and verdict.metric is not None:
        return compared(ratio, verdict.metric)
    return share(ratio) if verdict.rule in SHARES else format_quantity(ratio, unit="ratio")


def interval_of(verdict: Verdict, low: float, high: float) -> str:
    """The same for both ends of its interval: `4x to 29x`, `93 % to 99.1 %`."""
    if verdict.rule in _COMPARISONS and verdict.metric is not None and verdict.measured is not None:
        return compared_interval(low, high, verdict.metric, ratio=verdict.measured)
    return f"{ratio_of(verdict, low)} to {ratio_of(verdict, high)}"


def amount(ratio: float, *, times: bool, beside: float | None = None) -> str:
    """How far from the same it is, without the direction: `11x`, `38 %`."""
    if not times or ratio <= 0.0:
        percent = 100 * abs(ratio - 1.0)
        limit = None if beside is None or (beside > 1.0) != (ratio > 1.0) else 100 * abs(beside - 1.0)
        return f"{_apart(percent, limit, digits=0 if percent >= 9.95 else 1)} %"
    found = factor(ratio)
    digits = 0 if found >= 10 else 1 if found >= TIMES_FROM else 2
    limit = None if beside is None or beside <= 0.0 or (beside > 1.0) != (ratio > 1.0) else factor(beside)
    return f"{_apart(found, limit, digits=digits).removesuffix('.0')}x"


def factor(ratio: float) -> float:
    """How many times, in whichever direction; without end for nothing at all."""
    return max(ratio, 1.0 / ratio) if ratio > 0.0 else float("inf")


def _apart(value: float, beside: float | None, *, digits: int) -> str:
    """The value with as many decimals as keep it on its own side of `beside`."""
    value, limit = round(value, _MOST_DIGITS), None if beside is None else round(beside, _MOST_DIGITS)
    while limit is not None and _crosses(value, limit, digits=digits):
        digits += 1
    return f"{value:,.{digits}f}"


def _crosses(value: float, beside: float, *, digits: int) -> bool:
    shown = round(value, digits)
    return (value < beside) != (shown < beside) or (value > beside) != (shown > beside)
