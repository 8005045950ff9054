"""The location of values with outliers: a mean would follow outliers, these estimators do not."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

MAD_OF_NORMAL = 1.4826
"""The ratio of a normal spread to its median absolute deviation."""
WINSORIZED_AT = 1.5
"""The distance from the middle in spreads at which outliers count (Huber's usual k)."""
_STEPS = 5


def spread(values: Sequence[float], *, middle: float) -> float:
    """Return the spread of normal values with this median absolute deviation."""
    return MAD_OF_NORMAL * median(abs(value - middle) for value in values)


def winsorize(values: Sequence[float]) -> list[float]:
    """Return the deviations from the median, cut off at WINSORIZED_AT spreads."""
    middle = median(values)
    most = WINSORIZED_AT * spread(values, middle=middle)
    return [min(max(value - middle, -most), most) for value in values]


def huber_level(values: Sequence[float]) -> float:
    """Return Huber's M-estimate of location, with a fixed spread from the median absolute deviation.

    Huber & Ronchetti, Robust Statistics, 6.7, "Modified residuals": the middle moves by the mean of the winsorized
    residuals, a few times. Raises ValueError if there are no values.
    """
    if not values:
        raise ValueError("expected at least one value, found none")
    middle = median(values)
    most = WINSORIZED_AT * spread(values, middle=middle)
    for _ in range(_STEPS):
        middle += fmean(min(max(value - middle, -most), most) for value in values)
    return middle
