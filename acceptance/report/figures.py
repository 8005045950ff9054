"""How figures read in every table of a report: page, terminal and summary."""

from __future__ import annotations

from contextlib import suppress

from acceptance.report.judged_intervals import USUAL
from acceptance.report.rows import OF_RATIOS, Change
from acceptance.results.bounds import bound_of
from acceptance.results.document import Estimate, Verdict
from acceptance.results.metrics import CPU, STALL, Metric
from acceptance.text.quantities import format_quantity

TIMES_FROM = 2.0
"""From so many times on a change is told in times, below in percent: nobody reads +1,025 % as eleven times."""


def shown_mean(estimate: Estimate | None) -> str:
    """`1,204 IOPS`; nothing where there is none."""
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def shown_change(change: float | None) -> str:
    """`+122 %`, `-91.9 %`: what the candidate shows more or less than the baseline."""
    return "" if change is None else f"{100 * change:+,.{0 if abs(change) >= 1 else 1}f} %"


def shown_change_of(change: Change | None) -> str:
    """The change of a row as `shown_change` writes it; `noise` where that may be all; nothing where it is not known.

    No longer than a figure: on a terminal of 80 columns there is no room for both.
    """
    if change is None:
        return ""
    return "noise" if change.within_noise else shown_change(change.value)


def shown_interval(estimate: Estimate | None) -> str:
    """`1,131 IOPS to 1,281 IOPS`, and its confidence where that is not the usual one; nothing where it is not known."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    edges = " to ".join(format_quantity(value, unit=estimate.unit) for value in (estimate.low, estimate.high))
    return edges if estimate.confidence == USUAL else f"{edges} ({estimate.confidence * 100:.4g}% CI)"


def shown_measured(verdict: Verdict) -> str:
    """What the verdict measured, with its unit; nothing where it is not known."""
    if verdict.measured is None or verdict.unit is None:
        return ""
    return format_quantity(verdict.measured, unit=verdict.unit)


def shown_speed(change: Change | None, metric: str) -> str:
    """`11x slower`, `38 % faster`: a change of a metric as a reader says it; of CPU use, `3.2x more`."""
    if change is None:
        return ""
    return _faster(change.value + 1.0, metric)


def shown_speed_interval(change: Change | None, metric: str) -> str:
    """`4x to 29x (99% CI)`; where both directions are in it, `20 % faster to 5.3x slower (99% CI)`."""
    if change is None or change.low is None or change.high is None or change.confidence is None:
        return ""
    low, high = change.low + 1.0, change.high + 1.0
    if change.within_noise or low <= 0.0:
        edges = [_faster(low, metric), _faster(high, metric)]
    else:
        times = _factor(change.value + 1.0) >= TIMES_FROM
        edges = [_amount(each, times=times) for each in sorted((low, high), key=_factor)]
    return f"{' to '.join(edges)} ({change.confidence * 100:.4g}% CI)"


def shown_rule(verdict: Verdict, baseline: str | None) -> str:
    """`not faster than local-path by more than 20 %`; of other limits, and of CPU use, what the limit says itself."""
    bound = bound_of(verdict) if verdict.rule in OF_RATIOS else None
    if bound is None or baseline is None or bound.value <= 0.0 or verdict.metric in (None, CPU, STALL):
        return verdict.limit
    word = "faster" if verdict.rule == OF_RATIOS[0] else "slower"
    return f"not {word} than {baseline} by more than {_amount(bound.value, times=_factor(bound.value) >= TIMES_FROM)}"


def _faster(ratio: float, metric: str) -> str:
    """Candidate / baseline in words; of a metric that this suite does not know, more or less of it."""
    if ratio <= 0.0:
        return shown_change(ratio - 1.0)
    if ratio == 1.0:
        return "the same"
    word = "more" if ratio > 1.0 else "less"
    if metric not in (CPU, STALL):
        with suppress(ValueError):
            word = "faster" if (ratio > 1.0) == Metric.parse(metric).higher_is_better else "slower"
    return f"{_amount(ratio, times=_factor(ratio) >= TIMES_FROM)} {word}"


def _amount(ratio: float, *, times: bool) -> str:
    """How far from the same it is, without the direction: `11x`, `38 %`."""
    if not times:
        percent = 100 * abs(ratio - 1.0)
        return f"{percent:,.{0 if percent >= 9.95 else 1}f} %"
    factor = _factor(ratio)
    digits = 0 if factor >= 10 else 1 if factor >= TIMES_FROM else 2
    return f"{f'{factor:,.{digits}f}'.removesuffix('.0')}x"


def _factor(ratio: float) -> float:
    return max(ratio, 1.0 / ratio)
