"""The ratio of two estimates that were measured independently, with its interval. Pure."""

from __future__ import annotations

import math

from acceptance.report.comparing.model import Change, Finding
from acceptance.results.document import Estimate, Measurement
from acceptance.results.metrics import Metric

# The rounding error of an interval that ends at 1; comparing in the other direction must give the same finding.
_ROUNDING = 1e-9


def quotient(second: Change, first: Change) -> Change:
    """Return second / first of two independent values, each given with an interval of the same confidence.

    On the logarithm a quotient is a difference: its reach on each side is the root of the sum of the squares of theirs
    (MOVER: Zou & Donner, Construction of confidence limits about effect measures, Statistics in Medicine 2008;
    27:1693). It needs only the intervals, so that results of any age can be compared. It is wider than Welch's
    interval, by the uncertainty that comes from few batches.

    Raises:
        ValueError: The intervals differ in confidence.
        OverflowError: The values are so far apart that no float holds their quotient; no two real runs are.
    """
    if not math.isclose(first.confidence, second.confidence):
        raise ValueError(f"expected intervals of one confidence, found {first.confidence} and {second.confidence}")
    ratio = second.ratio / first.ratio
    down = math.hypot(math.log(second.ratio / second.low), math.log(first.high / first.ratio))
    up = math.hypot(math.log(second.high / second.ratio), math.log(first.ratio / first.low))
    low, high = ratio * math.exp(-down), ratio * math.exp(up)
    if low == 0.0 or math.isinf(high):
        raise OverflowError(f"{second.ratio:g} and {first.ratio:g} are too far apart to be compared")
    return Change(ratio=ratio, low=low, high=high, confidence=first.confidence)


def as_change(estimate: Estimate) -> Change | None:
    """Return the estimate as a multiple of one unit; None if it has no logarithm or no interval."""
    if estimate.low is None or estimate.high is None or not 0.0 < estimate.low <= estimate.mean <= estimate.high:
        return None
    return Change(ratio=estimate.mean, low=estimate.low, high=estimate.high, confidence=estimate.confidence)


def multiple(candidate: Measurement, baseline: Measurement, metric: str) -> Change | None:
    """Return candidate / baseline of two measurements made in turn: pair by pair if the results hold the pairs.

    Results of older suites hold only the two estimates; these are then taken as independent, which gives the wider
    interval.
    """
    pair_ratio = candidate.against_baseline.get(metric)
    if pair_ratio is not None and 0.0 < pair_ratio.low <= pair_ratio.ratio <= pair_ratio.high:
        return Change(
            ratio=pair_ratio.ratio, low=pair_ratio.low, high=pair_ratio.high, confidence=pair_ratio.confidence
        )
    candidate_estimate, baseline_estimate = candidate.metrics.get(metric), baseline.metrics.get(metric)
    return quotient_where_known(
        as_change(candidate_estimate) if candidate_estimate else None,
        as_change(baseline_estimate) if baseline_estimate else None,
    )


def quotient_where_known(second: Change | None, first: Change | None) -> Change | None:
    """Return `quotient`; None if a value is None, or if the intervals differ in confidence."""
    if first is None or second is None or not math.isclose(first.confidence, second.confidence):
        return None
    return quotient(second, first)


def finding_of(change: Change | None, *, metric: str) -> Finding:
    """Return better or worse if the whole interval lies on that side of 1; raise ValueError for an unknown metric."""
    if change is None:
        return "not known"
    if change.low <= 1.0 + _ROUNDING and change.high >= 1.0 - _ROUNDING:
        return "within noise"
    return "better" if (change.ratio > 1.0) == Metric.parse(metric).higher_is_better else "worse"
