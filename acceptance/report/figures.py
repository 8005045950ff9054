"""How figures read in every table of a report: page, terminal and summary."""

from __future__ import annotations

from acceptance.report.judged_intervals import USUAL
from acceptance.report.rows import Change
from acceptance.results.bounds import bound_of
from acceptance.results.document import Estimate, Verdict
from acceptance.results.metrics import STALL
from acceptance.results.ratio_words import OF_RATIOS, allowed, compared, compared_interval, interval_of, ratio_of
from acceptance.text.quantities import OF_ONE_CPU, Unit, format_quantity


def shown_mean(estimate: Estimate | None) -> str:
    """`1,204 IOPS`; nothing where there is none."""
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def shown_change_of(change: Change | None, metric: str) -> str:
    """`4x slower` as `shown_speed` tells it; `noise` where that may be all; nothing where it is not known.

    No longer than a figure: on a terminal of 80 columns there is no room for both.
    """
    if change is None:
        return ""
    return "noise" if change.within_noise else shown_speed(change, metric)


def shown_interval(estimate: Estimate | None) -> str:
    """`1,131 IOPS to 1,281 IOPS`, and its confidence where that is not the usual one; nothing where it is not known."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    edges = shown_edges(estimate.low, estimate.high, unit=estimate.unit)
    return edges if estimate.confidence == USUAL else f"{edges} ({estimate.confidence * 100:.4g}% CI)"


def shown_edges(low: float, high: float, *, unit: Unit) -> str:
    """`1,131 IOPS to 1,281 IOPS`, `4.6 % to 6.2 % of one CPU`"""
    first, last = (format_quantity(each, unit=unit) for each in (low, high))
    return f"{first.removesuffix(OF_ONE_CPU)} to {last}"


def shown_value(estimate: Estimate | None, metric: str) -> str:
    """The mean; of the longest stall, which is seen to within a second of load, between what and what it lies."""
    if estimate is None or metric != STALL:
        return shown_mean(estimate)
    return shown_event(estimate.mean, estimate.low, estimate.high)


def shown_value_interval(estimate: Estimate | None, metric: str) -> str:
    """The CI of a mean; nothing for a stall: it happened, and `shown_value` has told all of it."""
    return "" if metric == STALL else shown_interval(estimate)


def shown_event(seconds: float, low: float | None, high: float | None) -> str:
    """`between 8 ms and 1.01 s`, or `8 ms` where that is known."""
    if low is None or high is None or low == high:
        return format_quantity(seconds, unit="s")
    return f"between {format_quantity(low, unit='s')} and {format_quantity(high, unit='s')}"


def shown_measured(verdict: Verdict) -> str:
    """What the verdict measured, with its unit, and as its rule asks for it; nothing where it is not known."""
    if verdict.measured is None or verdict.unit is None:
        return ""
    if verdict.metric == STALL and verdict.unit == "s":
        return shown_event(verdict.measured, verdict.low, verdict.high)
    if verdict.unit == "ratio":
        return ratio_of(verdict, verdict.measured)
    return format_quantity(verdict.measured, unit=verdict.unit)


def shown_measured_interval(verdict: Verdict) -> str:
    """`4x to 29x (99% CI)`; nothing where it is not known."""
    if verdict.low is None or verdict.high is None or verdict.unit is None or verdict.confidence is None:
        return ""
    if verdict.unit == "ratio":
        edges = interval_of(verdict, verdict.low, verdict.high)
    else:
        edges = shown_edges(verdict.low, verdict.high, unit=verdict.unit)
    return f"{edges} ({verdict.confidence * 100:.4g}% CI)"


def shown_speed(change: Change | None, metric: str) -> str:
    """`11x slower`, `38 % faster`: a change of a metric as a reader says it; of CPU time, `3.2x more`."""
    return "" if change is None else compared(change.value + 1.0, metric)


def shown_speed_interval(change: Change | None, metric: str) -> str:
    """`4x to 29x (99% CI)`; where both directions are in it, `20 % faster to 5.3x slower (99% CI)`."""
    if change is None or change.low is None or change.high is None or change.confidence is None:
        return ""
    edges = compared_interval(change.low + 1.0, change.high + 1.0, metric, ratio=change.value + 1.0)
    return f"{edges} ({change.confidence * 100:.4g}% CI)"


def shown_rule(verdict: Verdict, baseline: str | None = None) -> str:
    """`not faster than local-path by more than 20 %`; of other limits what the limit says itself."""
    bound = bound_of(verdict) if verdict.rule in OF_RATIOS else None
    if bound is None or bound.value <= 0.0 or verdict.metric is None:
        return verdict.limit
    told = allowed(verdict.rule, verdict.metric, bound=bound.value, baseline=baseline or "the baseline class")
    return f"{verdict.metric} {told}" if told.startswith("at ") else told
