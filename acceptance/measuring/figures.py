"""Values in batches as a run's records hold them: the mean, with its interval if there are enough batches."""

from __future__ import annotations

import math
from collections.abc import Sequence

from acceptance.results.document import Estimate
from acceptance.results.model import Unit
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import BATCH_CORRELATION, MINIMUM_BATCHES, Part, interval, weighted_interval
from acceptance.statistics.step_analyses import CONFIDENCE, value_correlation


def estimate(
    parts: Sequence[Part],
    *,
    unit: Unit,
    seconds: int,
    confidence: float,
    correlation: float = BATCH_CORRELATION,
) -> Estimate:
    """Return `weighted_interval` as a measured value; with too few batches only the mean, with low and high None.

    `seconds` is the load that the batches cover. Raises ValueError without any batch, and if `interval` does.
    """
    if not parts:
        raise ValueError("expected at least one batch, found none")
    if len(parts) < MINIMUM_BATCHES:
        mean = math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts)
        return Estimate(mean=mean, low=None, high=None, unit=unit, samples=seconds, confidence=confidence)
    mean, low, high = weighted_interval(parts, confidence=confidence, correlation=correlation)
    return Estimate(mean=mean, low=low, high=high, unit=unit, samples=seconds, confidence=confidence)


def figure(batches: Sequence[float], *, confidence: float, correlation: float | None = None) -> Figure:
    """Return the mean of `batches` with its interval; without an interval if there are too few batches.

    `correlation` between neighbouring batches: None for the fixed allowance of `acceptance.statistics.intervals`.
    Raises ValueError without any batch, for negative values and for values that are not finite.
    """
    if not batches:
        raise ValueError("expected at least one batch, found none")
    if len(batches) < MINIMUM_BATCHES:
        return Figure(mean=math.fsum(batches) / len(batches), low=None, high=None, batches=list(batches))
    more = {} if correlation is None else {"correlation": correlation}
    mean, low, high = interval(batches, confidence=confidence, **more)
    return Figure(mean=mean, low=low, high=high, batches=list(batches))


def interval_of(batches: Sequence[float], *, batch_s: int, confidence: float = CONFIDENCE) -> Figure:
    """Return the mean of batches of `batch_s` seconds with its interval at an interim analysis, if they are enough."""
    return figure(batches, confidence=confidence, correlation=value_correlation(batch_s))
