"""Ratios in words, the same in pages, on the terminal, in summaries and in the reasons of verdicts.

A comparison has a direction: `11x slower`, `38 % faster`; for CPU time and stalls `3.2x more`. A share of a requested
value, or of an earlier one, is in percent: `97.8 %`. Any other ratio is a multiple: `3.1x`.
"""

from __future__ import annotations

from contextlib import suppress

from acceptance.results.document import Verdict
from acceptance.results.metrics import CPU, CPU_PER_OPERATION, STALL, Metric
from acceptance.text.quantities import format_quantity

TIMES_FROM = 2.0
"""The factor from which a comparison is a multiple, not a percentage: few readers see +1,025 % as eleven times."""
OF_RATIOS = ("not_better_than_baseline_by", "not_worse_than_baseline_by")
"""The rules of verdicts on candidate / baseline."""
_NON_SPEED_METRICS = (CPU, CPU_PER_OPERATION, STALL)
_COMPARISONS = (*OF_RATIOS, "not_worse_than_before_by")
SHARES = ("rate_limited", "total_at_last_step", "foreground_iops", "writes_left_with_snapshots")
_MOST_DIGITS = 9  # closer values differ only by float rounding


def comparison(ratio: float, metric: str, *, beside: float | None = None) -> str:
    """Return `11x slower`, `38 % faster` or `the same`; `more` or `less` for a metric that this suite does not know.

    `beside`: a ratio from which the digits must distinguish it, such as a limit.
    """
    if ratio == 1.0:
        return "the same"
    return f"{amount(ratio, times=factor(ratio) >= TIMES_FROM, beside=beside)} {direction(ratio, metric)}"


def comparison_interval(low: float, high: float, metric: str, *, ratio: float, beside: float | None = None) -> str:
    """Return `4x to 29x`, in the direction of `ratio`; if it has both directions, `20 % faster to 5.3x slower`."""
    if low <= 1.0 <= high or low <= 0.0:
        return f"{comparison(low, metric, beside=beside)} to {comparison(high, metric, beside=beside)}"
    times = factor(ratio) >= TIMES_FROM
    return " to ".join(amount(edge, times=times, beside=beside) for edge in sorted((low, high), key=factor))


def direction(ratio: float, metric: str) -> str:
    """Return `faster` or `slower`; `more` or `less` if the metric is not about speed."""
    if metric not in _NON_SPEED_METRICS:
        with suppress(ValueError):
            return "faster" if (ratio > 1.0) == Metric.parse(metric).higher_is_better else "slower"
    return "more" if ratio > 1.0 else "less"


def allowed_comparison(rule: str, metric: str, *, bound: float, baseline: str) -> str:
    """Return `not faster than local-path by more than 20 %`; for CPU time `at most 2x that of local-path`."""
    if metric in _NON_SPEED_METRICS:
        too_high = (rule == OF_RATIOS[0]) == Metric.parse(metric).higher_is_better
        return f"{'at most' if too_high else 'at least'} {format_quantity(bound, unit='ratio')} that of {baseline}"
    word = "faster" if rule == OF_RATIOS[0] else "slower"
    return f"not {word} than {baseline} by more than {amount(bound, times=factor(bound) >= TIMES_FROM)}"


def share(value: float, *, beside: float | None = None) -> str:
    """Return a share such as `97.8 %`: the reached part of a requested or earlier value."""
    percent = _apart(100 * value, None if beside is None else 100 * beside, digits=1)
    return f"{percent.removesuffix('.0')} %"


def ratio_of(verdict: Verdict, ratio: float) -> str:
    """Return the verdict's measured ratio in the form of its rule."""
    if verdict.rule in _COMPARISONS and verdict.metric is not None:
        return comparison(ratio, verdict.metric)
    return share(ratio) if verdict.rule in SHARES else format_quantity(ratio, unit="ratio")


def interval_of(verdict: Verdict, low: float, high: float) -> str:
    """Return both ends of the interval in the form of the verdict's rule: `4x to 29x`, `93 % to 99.1 %`."""
    if verdict.rule in _COMPARISONS and verdict.metric is not None and verdict.measured is not None:
        return comparison_interval(low, high, verdict.metric, ratio=verdict.measured)
    return f"{ratio_of(verdict, low)} to {ratio_of(verdict, high)}"


def amount(ratio: float, *, times: bool, beside: float | None = None) -> str:
    """Return the distance of a ratio from 1, without the direction: `11x`, `38 %`."""
    if not times or ratio <= 0.0:
        percent = 100 * abs(ratio - 1.0)
        limit = None if beside is None or (beside > 1.0) != (ratio > 1.0) else 100 * abs(beside - 1.0)
        return f"{_apart(percent, limit, digits=0 if percent >= 9.95 else 1)} %"
    multiple = factor(ratio)
    digits = 0 if multiple >= 10 else 1 if multiple >= TIMES_FROM else 2
    limit = None if beside is None or beside <= 0.0 or (beside > 1.0) != (ratio > 1.0) else factor(beside)
    return f"{_apart(multiple, limit, digits=digits).removesuffix('.0')}x"


def factor(ratio: float) -> float:
    """Return the ratio as a multiple of at least 1, in either direction; infinity for zero."""
    return max(ratio, 1.0 / ratio) if ratio > 0.0 else float("inf")


def _apart(value: float, beside: float | None, *, digits: int) -> str:
    """Return the value with enough decimals to keep it on its own side of `beside`."""
    value, limit = round(value, _MOST_DIGITS), None if beside is None else round(beside, _MOST_DIGITS)
    while limit is not None and _crosses(value, limit, digits=digits):
        digits += 1
    return f"{value:,.{digits}f}"


def _crosses(value: float, beside: float, *, digits: int) -> bool:
    rounded_value = round(value, digits)
    return (value < beside) != (rounded_value < beside) or (value > beside) != (rounded_value > beside)
