"""Percentiles of latency over operations, from fio's histograms, with an interval from the share of slow operations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import NormalDist

from acceptance.statistics.intervals import MINIMUM_BATCHES, Interval, Part, effective_batches, ratio_error
from acceptance.statistics.student_t import t_quantile

EXACT_BELOW_NS = 128
"""fio's bins are exact below this value, and 64 for each doubling above: `FIO_IO_U_PLAT_BITS` in its stat.h."""

Histogram = Mapping[int, int]
"""Operations by the middle (ns) of the bin of their latency: fio's `plat_idx_to_val` adds half a bin."""


def edges_ns(middle_ns: int) -> tuple[float, float]:
    """Return the beginning and the end of the bin with this middle."""
    if middle_ns < EXACT_BELOW_NS:
        return float(middle_ns), float(middle_ns)
    width = 2.0 ** (middle_ns.bit_length() - 7)
    return middle_ns - width / 2, middle_ns + width / 2


def percentile_of(histogram: Histogram, percentile: float) -> float | None:
    """Return the middle (s) of the bin that holds the percentile, as fio itself reports it; None without operations."""
    rank = sum(histogram.values()) * percentile / 100
    below = 0
    for middle_ns in sorted(histogram):
        below += histogram[middle_ns]
        if below >= rank:
            return middle_ns / 1e9
    return None


def together(histograms: Sequence[Histogram]) -> Counter[int]:
    """Return the operations of all histograms."""
    total: Counter[int] = Counter()
    for histogram in histograms:
        total.update(histogram)
    return total


def percentile_interval(
    histograms: Sequence[Histogram], percentile: float, *, confidence: float, correlation: float
) -> Interval | None:
    """Return the percentile of all operations with its interval (s), from each batch's histogram; None if too few.

    A latency is surely above the percentile if the share of operations beyond it is surely below 1 - p, and below it
    if that share is surely above (Woodruff, Confidence intervals for medians and other position measures, JASA 47,
    1952). The share is a ratio of totals over batches, so slow seconds with few operations count little. Its error is
    at least that of as many independent operations (binomial, so it is known). The bins of both ends belong to the
    interval completely, because it is unknown where in its bin a latency lies.
    """
    histograms_with_operations = [histogram for histogram in histograms if histogram]
    all_operations = together(histograms_with_operations)
    middle = percentile_of(all_operations, percentile)
    if middle is None or len(histograms_with_operations) < MINIMUM_BATCHES:
        return None
    share, weights = 1 - percentile / 100, [sum(histogram.values()) for histogram in histograms_with_operations]
    degrees = max(1, round(effective_batches(weights)) - 1)
    t = t_quantile(0.5 + confidence / 2, degrees=degrees)
    least = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(share * (1 - share) / sum(weights))

    def beyond(bound_ns: int) -> tuple[float, float]:
        """Return the smallest and the largest possible share beyond a bin."""
        parts = [
            Part(sum(count for at_ns, count in histogram.items() if at_ns > bound_ns), weight)
            for histogram, weight in zip(histograms_with_operations, weights, strict=True)
        ]
        observed_share = sum(part.amount for part in parts) / sum(weights)
        reach = max(least, t * ratio_error(parts, correlation=correlation))
        return observed_share - reach, observed_share + reach

    bins = [-1, *sorted(all_operations)]  # all operations are beyond the first
    place = bins.index(round(middle * 1e9))
    high = next((bin_ns for bin_ns in bins[place:] if beyond(bin_ns)[1] <= share), None)
    if high is None:
        return None  # too few operations: slower ones may be a share of them
    last_below = next((number for number in range(place - 1, -1, -1) if beyond(bins[number])[0] >= share), None)
    low_ns = 0.0 if last_below is None else edges_ns(bins[last_below + 1])[0]
    return Interval(middle, low_ns / 1e9, edges_ns(high)[1] / 1e9)
