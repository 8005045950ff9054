"""Visits of a class: what each showed of a metric, and how much farther an interval reaches because they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acceptance.measuring.batches import batches, operations_in, seconds_of, time_s
from acceptance.measuring.measure import BySegment
from acceptance.measuring.metric_values import metric_value
from acceptance.results.document import Estimate
from acceptance.results.metrics import Metric
from acceptance.statistics.between_visits import BetweenVisits, Visits, between_visits
from acceptance.statistics.intervals import BATCH_CORRELATION, allowance

BATCH_S = 4
"""The length (s) of the batches that show the variance within visits, and of the shortest visit that counts."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the visits of one profile showed: of its rates, and of the percentiles that have limits."""

    rates: Visits
    percentiles: Sequence[tuple[float, Visits]]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The variance between visits of a class: of its rates, and of the percentiles that have limits."""

    rates: BetweenVisits = field(default_factory=BetweenVisits)
    percentiles: Mapping[float, BetweenVisits] = field(default_factory=dict)

    def of(self, metric: Metric, visits: BySegment) -> BetweenVisits:
        """Return the variance of a metric of one profile: mean latencies and CPU time vary as rates do."""
        rates = self.rates.of(_rates(visits))
        if metric.percentile is None:
            return rates
        shared = self.percentiles.get(metric.percentile, self.rates)
        # Few profiles have limits on percentiles, and where rates vary, latencies do.
        return max(rates, shared.of(_percentiles(metric, visits)), key=lambda between: between.variance)


def shown_by(visits: BySegment, *, metrics: Sequence[Metric]) -> Shown:
    """Return what visits of one profile showed. `metrics`: those that have limits."""
    limited = {metric.path: metric for metric in metrics}.values()
    return Shown(
        rates=_rates(visits),
        percentiles=[
            (metric.percentile, _percentiles(metric, visits)) for metric in limited if metric.percentile is not None
        ],
    )


def spread_of(profiles: Sequence[Shown]) -> Spread | None:
    """Return the variance between the visits of a class, from all its profiles; None if none has two visits."""
    if not any(shown.rates.degrees for shown in profiles):
        return None
    percentiles: dict[float, list[Visits]] = {}
    for shown in profiles:
        for percentile, visits in shown.percentiles:
            percentiles.setdefault(percentile, []).append(visits)
    return Spread(
        rates=between_visits([shown.rates for shown in profiles]),
        percentiles={percentile: between_visits(of_all) for percentile, of_all in percentiles.items()},
    )


def _rates(visits: BySegment) -> Visits:
    """Return the visits by their operations a second; one without an operation counts as one with half of one."""
    counted = [samples for samples in visits if seconds_of(samples) >= BATCH_S]
    rates = [max(operations_in(samples), 0.5) / time_s(samples) for samples in counted]
    squares, degrees = 0.0, 0
    for samples, rate in zip(counted, rates, strict=True):
        parts = batches(samples, length=BATCH_S)
        squares += math.fsum(((operations_in(part) / rate - time_s(part)) ** 2) / time_s(part) for part in parts)
        degrees += len(parts) - 1
    return Visits(
        seconds=tuple(map(time_s, counted)),
        logarithms=tuple(map(math.log, rates)),
        per_second=squares / degrees * allowance(BATCH_CORRELATION) ** 2 if degrees else 0.0,
        within_degrees=degrees,
    )


def _percentiles(metric: Metric, visits: BySegment) -> Visits:
    """Return the visits by the percentile; their noise counts as a difference between them."""
    counted = [samples for samples in visits if seconds_of(samples) >= BATCH_S and metric_value(metric, samples)]
    values = (metric_value(metric, samples) or 1.0 for samples in counted)
    return Visits(seconds=tuple(map(time_s, counted)), logarithms=tuple(map(math.log, values)))


def across_visits(
    estimate: Estimate | None, metric: Metric, visits: BySegment, *, spread: Spread | None
) -> Estimate | None:
    """Return the estimate with an interval that contains the variance between visits, too.

    The variances within and between visits add up, so the distances to the mean do in squares (on logarithms).
    """
    if spread is None or estimate is None or estimate.low is None or estimate.high is None or not estimate.mean > 0.0:
        return estimate
    seconds = [time_s(samples) for samples in visits if samples]
    variance, confidence = spread.of(metric, visits), estimate.confidence
    between = variance.reach(confidence=confidence, seconds=seconds)
    within = variance.reach_within(confidence=confidence, seconds=seconds)
    low, high = (
        math.hypot(max(within, _distance(estimate.mean, end)), between) for end in (estimate.low, estimate.high)
    )
    return estimate.model_copy(update={"low": estimate.mean * math.exp(-low), "high": estimate.mean * math.exp(high)})


def _distance(mean: float, end: float) -> float:
    return math.inf if end in (0.0, math.inf) else abs(math.log(end / mean))


def visit_figures(metric: Metric, visits: BySegment) -> list[float]:
    """Return the metric in each visit, in its unit. A visit that does not show it is left out."""
    values = [metric_value(metric, samples) for samples in visits if samples]
    return [value for value in values if value is not None]
