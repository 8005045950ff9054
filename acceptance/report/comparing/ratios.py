"""The ratio of two estimates that were made apart from each other, with its interval. Pure."""

from __future__ import annotations

import math

from acceptance.report.comparing.model import Change, Finding
from acceptance.results.document import Estimate, Measurement
from acceptance.results.metrics import Metric

# What the last digits of a double do to an interval that ends at 1; the way back must find the same as the way there.
_ROUNDING = 1e-9


def quotient(second: Change, first: Change) -> Change:
    """second / first of two independent values, each given with an interval of the same confidence.

    On the logarithm, where a quotient is a difference: its reach on each side is the root of the sum of the squares of
    theirs (MOVER: Zou & Donner, Construction of confidence limits about effect measures, Statistics in Medicine 2008;
    27:1693). It needs no more than the intervals, so that results of any age can be compared, and is wider
    than Welch's by as much as few batches are uncertain. Raises ValueError for intervals of different confidence,
    OverflowError for values so far apart that no float holds their quotient: no two runs find such.
    """
    if not math.isclose(first.confidence, second.confidence):
        raise ValueError(f"wanted intervals of one confidence, found {first.confidence} and {second.confidence}")
    ratio = second.ratio / first.ratio
    down = math.hypot(math.log(second.ratio / second.low), math.log(first.high / first.ratio))
    up = math.hypot(math.log(second.high / second.ratio), math.log(first.ratio / first.low))
    low, high = ratio * math.exp(-down), ratio * math.exp(up)
    if low == 0.0 or math.isinf(high):
        raise OverflowError(f"{second.ratio:g} and {first.ratio:g} are too far apart to be compared")
    return Change(ratio=ratio, low=low, high=high, confidence=first.confidence)


def as_change(estimate: Estimate) -> Change | None:
    """The estimate as a multiple of one unit; None where it has no logarithm or no interval."""
    if estimate.low is None or estimate.high is None or not 0.0 < estimate.low <= estimate.mean <= estimate.high:
        return None
    return Change(ratio=estimate.mean, low=estimate.low, high=estimate.high, confidence=estimate.confidence)


def multiple(candidate: Measurement, baseline: Measurement, metric: str) -> Change | None:
    """Candidate / baseline of two measurements made in turn: pair by pair where the results hold it.

    Results of older suites hold only the two estimates; these are then taken for independent, which is the wider.
    """
    paired = candidate.against_baseline.get(metric)
    if paired is not None and 0.0 < paired.low <= paired.ratio <= paired.high:
        return Change(ratio=paired.ratio, low=paired.low, high=paired.high, confidence=paired.confidence)
    ours, theirs = candidate.metrics.get(metric), baseline.metrics.get(metric)
    return quotient_where_known(as_change(ours) if ours else None, as_change(theirs) if theirs else None)


def quotient_where_known(second: Change | None, first: Change | None) -> Change | None:
    """The same as `quotient`; None where one of them is, or where their intervals are not of one confidence."""
    if first is None or second is None or not math.isclose(first.confidence, second.confidence):
        return None
    return quotient(second, first)


def finding_of(change: Change | None, *, metric: str) -> Finding:
    """Better or worse when the whole interval lies on that side of 1; raises ValueError for an unknown metric."""
    if change is None:
        return "not known"
    if change.low <= 1.0 + _ROUNDING and change.high >= 1.0 - _ROUNDING:
        return "within noise"
    return "better" if (change.ratio > 1.0) == Metric.parse(metric).higher_is_better else "worse"
