"""The wording of figures in every table of a report: page, terminal and summary."""

from __future__ import annotations

from functools import partial

from acceptance.report.judged_intervals import USUAL
from acceptance.report.rows import Change
from acceptance.results.bounds import bound_of
from acceptance.results.document import Estimate, Measurement, Verdict
from acceptance.results.metrics import STALL
from acceptance.results.ratio_words import (
    OF_RATIOS,
    allowed_comparison,
    comparison,
    comparison_interval,
    interval_of,
    ratio_of,
)
from acceptance.text.quantities import OF_ONE_CPU, Unit, format_quantity
from acceptance.wording.phrasing import event_in_words


def shown_mean(estimate: Estimate | None) -> str:
    """Return `1,204 IOPS`; the empty text if there is no estimate."""
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def shown_change_of(change: Change | None, metric: str) -> str:
    """Return `4x slower` as `shown_speed_change` does; `noise` if that may be all; the empty text if unknown.

    The text is no longer than a figure: a terminal of 80 columns has no room for both.
    """
    if change is None:
        return ""
    return "noise" if change.within_noise else shown_speed_change(change, metric)


def shown_interval(estimate: Estimate | None) -> str:
    """Return `1,131 IOPS to 1,281 IOPS`, with its confidence if that is unusual; the empty text if unknown."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    if estimate.confidence != USUAL:
        return shown_labeled_interval(estimate)
    return shown_edges(estimate.low, estimate.high, unit=estimate.unit)


def shown_labeled_interval(estimate: Estimate) -> str:
    """Return `1,131 IOPS to 1,281 IOPS (95% CI)`; the empty text if unknown."""
    if estimate.low is None or estimate.high is None:
        return ""
    edges = shown_edges(estimate.low, estimate.high, unit=estimate.unit)
    return f"{edges} ({estimate.confidence * 100:.4g}% CI)"


def shown_edges(low: float, high: float, *, unit: Unit) -> str:
    """Return the ends of an interval: `1,131 IOPS to 1,281 IOPS`, `4.6 % to 6.2 % of one CPU`."""
    first, last = (format_quantity(edge, unit=unit) for edge in (low, high))
    return f"{first.removesuffix(OF_ONE_CPU)} to {last}"


def shown_value(estimate: Estimate | None, metric: str) -> str:
    """Return the mean; for the longest stall the range it lies in, if the load shows it to within a second only."""
    if estimate is None or metric != STALL:
        return shown_mean(estimate)
    return shown_event(estimate.mean, estimate.low, estimate.high)


def shown_value_interval(estimate: Estimate | None, metric: str) -> str:
    """Return the CI of a value; the empty text for a stall, which has none."""
    return "" if metric == STALL else shown_interval(estimate)


def shown_event(seconds: float, low: float | None, high: float | None) -> str:
    """Return `8 ms`; without latencies `at most 1.01 s`, or `between 8 s and 9.01 s`."""
    if low is None or high is None:
        return format_quantity(seconds, unit="s")
    return event_in_words(low, high, partial(format_quantity, unit="s"))


def shown_metric(measurement: Measurement, metric: str) -> str:
    """Return the value of the metric; for a stall that no latency shows, with the reason for the range."""
    estimate = measurement.metrics[metric]
    is_range = metric == STALL and estimate.low != estimate.high
    has_latencies = any(".latency." in path for path in measurement.metrics)
    remark = " (this profile records no latencies)" if is_range and not has_latencies else ""
    return f"{shown_value(estimate, metric)}{remark}"


def shown_verdict_value(verdict: Verdict) -> str:
    """Return the figure of the verdict, with its unit, in the form of its rule; the empty text if unknown."""
    if verdict.measured is None or verdict.unit is None:
        return ""
    if verdict.metric == STALL and verdict.unit == "s":
        return shown_event(verdict.measured, verdict.low, verdict.high)
    if verdict.unit == "ratio":
        return ratio_of(verdict, verdict.measured)
    return format_quantity(verdict.measured, unit=verdict.unit)


def shown_verdict_interval(verdict: Verdict) -> str:
    """Return `4x to 29x (99% CI)`; the empty text if unknown."""
    if verdict.low is None or verdict.high is None or verdict.unit is None or verdict.confidence is None:
        return ""
    edges = _verdict_edges(verdict, verdict.low, verdict.high, unit=verdict.unit)
    return f"{edges} ({verdict.confidence * 100:.4g}% CI)"


def shown_verdict_figure(verdict: Verdict) -> str:
    """Return `1,204 IOPS (98% CI 1,130 IOPS to 1,283 IOPS)`; the value alone if it has no CI."""
    value = shown_verdict_value(verdict)
    if verdict.low is None or verdict.high is None or verdict.unit is None or verdict.confidence is None:
        return value
    edges = _verdict_edges(verdict, verdict.low, verdict.high, unit=verdict.unit)
    return f"{value} ({verdict.confidence * 100:.4g}% CI {edges})"


def _verdict_edges(verdict: Verdict, low: float, high: float, *, unit: Unit) -> str:
    return interval_of(verdict, low, high) if unit == "ratio" else shown_edges(low, high, unit=unit)


def shown_speed_change(change: Change | None, metric: str) -> str:
    """Return the change of a metric in a reader's words: `11x slower`, `38 % faster`; for CPU time `3.2x more`."""
    return "" if change is None else comparison(change.value + 1.0, metric)


def shown_speed_change_interval(change: Change | None, metric: str) -> str:
    """Return `4x to 29x (99% CI)`; `20 % faster to 5.3x slower (99% CI)` if both directions are in it."""
    if change is None or change.low is None or change.high is None or change.confidence is None:
        return ""
    edges = comparison_interval(change.low + 1.0, change.high + 1.0, metric, ratio=change.value + 1.0)
    return f"{edges} ({change.confidence * 100:.4g}% CI)"


def shown_rule(verdict: Verdict, baseline: str | None = None) -> str:
    """Return `not faster than local-path by more than 20 %`; for other limits the text of the limit itself."""
    bound = bound_of(verdict) if verdict.rule in OF_RATIOS else None
    if bound is None or bound.value <= 0.0 or verdict.metric is None:
        return verdict.limit
    rule_in_words = allowed_comparison(
        verdict.rule, verdict.metric, bound=bound.value, baseline=baseline or "the baseline class"
    )
    return f"{verdict.metric} {rule_in_words}" if rule_in_words.startswith("at ") else rule_in_words
