"""Percentiles of latency, over operations: from fio's histograms, with an interval from the share of slow ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import NormalDist

from acceptance.statistics.intervals import MINIMUM_BATCHES, Interval, Part, effective_batches, ratio_error
from acceptance.statistics.student_t import t_quantile

EXACT_BELOW_NS = 128
"""fio's bins are exact below it, and 64 for each doubling above: `FIO_IO_U_PLAT_BITS` in its stat.h"""

Histogram = Mapping[int, int]
"""Operations by the middle (ns) of the bin that their latency falls in: fio's `plat_idx_to_val` adds half a bin."""


def edges_ns(middle_ns: int) -> tuple[float, float]:
    """Where the bin begins and ends whose middle that is."""
    if middle_ns < EXACT_BELOW_NS:
        return float(middle_ns), float(middle_ns)
    width = 2.0 ** (middle_ns.bit_length() - 7)
    return middle_ns - width / 2, middle_ns + width / 2


def percentile_of(histogram: Histogram, percentile: float) -> float | None:
    """The middle (s) of the bin that holds the percentile, as fio itself reports it; None of no operations."""
    wanted = sum(histogram.values()) * percentile / 100
    below = 0
    for middle_ns in sorted(histogram):
        below += histogram[middle_ns]
        if below >= wanted:
            return middle_ns / 1e9
    return None


def together(histograms: Sequence[Histogram]) -> Counter[int]:
    """All operations."""
    found: Counter[int] = Counter()
    for histogram in histograms:
        found.update(histogram)
    return found


def percentile_interval(
    histograms: Sequence[Histogram], percentile: float, *, confidence: float, correlation: float
) -> Interval | None:
    """The percentile of all operations with its interval (s), from the histogram of each batch; None of too few.

    A latency is surely above the percentile where the share of operations beyond it is surely below 1 - p, and below it
    where that is surely above (Woodruff, Confidence intervals for medians and other position measures, JASA 47, 1952).
    The share is a ratio of totals over batches, so that slow seconds that hold few operations count as few; its error
    is never taken for less than that of as many independent operations (binomial, so it is known). The bin of either
    end belongs to the interval as a whole: where in it a latency lies is not known.
    """
    filled = [histogram for histogram in histograms if histogram]
    pooled = together(filled)
    middle = percentile_of(pooled, percentile)
    if middle is None or len(filled) < MINIMUM_BATCHES:
        return None
    share, weights = 1 - percentile / 100, [sum(histogram.values()) for histogram in filled]
    degrees = max(1, round(effective_batches(weights)) - 1)
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    least = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(share * (1 - share) / sum(weights))

    def beyond(bound_ns: int) -> tuple[float, float]:
        """The least and the greatest that the share beyond a bin may be."""
        parts = [
            Part(sum(count for at_ns, count in histogram.items() if at_ns > bound_ns), weight)
            for histogram, weight in zip(filled, weights, strict=True)
        ]
        found = sum(part.amount for part in parts) / sum(weights)
        reach = max(least, t * ratio_error(parts, correlation=correlation))
        return found - reach, found + reach

    bins = [-1, *sorted(pooled)]  # beyond the first is everything
    place = bins.index(round(middle * 1e9))
    high = next((each for each in bins[place:] if beyond(each)[1] <= share), None)
    if high is None:
        return None  # so few operations that slower ones may well be a share of them
    passed = next((number for number in range(place - 1, -1, -1) if beyond(bins[number])[0] >= share), None)
    low_ns = 0.0 if passed is None else edges_ns(bins[passed + 1])[0]
    return Interval(middle, low_ns / 1e9, edges_ns(high)[1] / 1e9)
