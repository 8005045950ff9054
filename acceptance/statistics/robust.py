"""The middle of values some of which may be far off: what a mean would follow, these do not."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

MAD_OF_NORMAL = 1.4826
"""By so much a normal spread is larger than its median absolute deviation."""
WINSORIZED_AT = 1.5
"""spreads from the middle: beyond it a value counts as if it lay there (Huber's usual k)"""
_STEPS = 5


def spread(values: Sequence[float], *, middle: float) -> float:
    """The spread that normal values with this median absolute deviation have."""
    return MAD_OF_NORMAL * median(abs(value - middle) for value in values)


def winsorized(values: Sequence[float]) -> list[float]:
    """Deviations from the median, none larger than WINSORIZED_AT spreads."""
    middle = median(values)
    most = WINSORIZED_AT * spread(values, middle=middle)
    return [min(max(value - middle, -most), most) for value in values]


def huber_level(values: Sequence[float]) -> float:
    """Huber's M-estimate of location with the spread of the median absolute deviation held fast.

    Huber & Ronchetti, Robust Statistics, 6.7, "Modified residuals": the middle moves by the mean of the winsorized
    residuals, a few times. Raises ValueError for no values.
    """
    if not values:
        raise ValueError("wanted at least one value, found none")
    middle = median(values)
    most = WINSORIZED_AT * spread(values, middle=middle)
    for _ in range(_STEPS):
        middle += fmean(min(max(value - middle, -most), most) for value in values)
    return middle
