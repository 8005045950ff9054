"""The latency of operations, percentile by percentile, for the curve in the report."""

from __future__ import annotations

from collections import Counter

from acceptance.loads.fio.samples import DIRECTIONS
from acceptance.measuring.measure import BySegment
from acceptance.measuring.percentiles import percentile_of, together
from acceptance.results.document import LatencyPoint

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
FEWEST_BEYOND = 10
"""The number of operations that must lie beyond a percentile. It is a count of rare events, so its standard error is
its square root (Poisson): a third of the count at ten, all of it at one."""


def distribution(segments: BySegment) -> dict[str, list[LatencyPoint]]:
    """Return the latency (s) at each percentile with enough operations, by direction, from all samples together.

    A direction is missing if the load generator does not report its latencies. As in fio's own percentiles, each value
    is the middle of its bin, and fio's bins are about 1.6 % wide (`FIO_IO_U_PLAT_BITS` in its stat.h).
    """
    points_by_direction: dict[str, list[LatencyPoint]] = {}
    for direction in DIRECTIONS:
        points = _points(together([sample.counts[direction].histogram for samples in segments for sample in samples]))
        if points:
            points_by_direction[direction] = points
    return points_by_direction


def _points(histogram: Counter[int]) -> list[LatencyPoint]:
    operations = histogram.total()
    points = []
    for percentile in PERCENTILES:
        beyond = operations * min(percentile, 100 - percentile) / 100
        # A product such as 100000 * (100 - 99.99) / 100 is less than its whole number by a rounding error.
        seconds = percentile_of(histogram, percentile) if round(beyond, 6) >= FEWEST_BEYOND else None
        if seconds is not None:
            points.append(LatencyPoint(percentile=percentile, seconds=seconds))
    return points
