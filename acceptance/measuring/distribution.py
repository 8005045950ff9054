"""How long operations took, percentile by percentile: what the curve in the report is drawn from."""

from __future__ import annotations

from collections import Counter

from acceptance.loads.fio.samples import DIRECTIONS
from acceptance.measuring.measure import BySegment
from acceptance.measuring.percentiles import percentile_of, together
from acceptance.results.document import LatencyPoint

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
FEWEST_BEYOND = 10
"""Operations that must lie beyond a percentile. How many do is a count of rare events, so its standard error is its
square root (Poisson): a third of it at ten, all of it at one."""


def distribution(segments: BySegment) -> dict[str, list[LatencyPoint]]:
    """Latency (s) at each percentile that enough operations support, by direction, from all samples together.

    A direction whose latencies the load generator does not tell is not there. As fio's own percentiles each is the
    middle of the bin it falls in, and fio's bins are about 1.6 % wide (`FIO_IO_U_PLAT_BITS` in its stat.h).
    """
    found: dict[str, list[LatencyPoint]] = {}
    for direction in DIRECTIONS:
        points = _points(together([sample.counts[direction].histogram for samples in segments for sample in samples]))
        if points:
            found[direction] = points
    return found


def _points(histogram: Counter[int]) -> list[LatencyPoint]:
    operations = histogram.total()
    points = []
    for percentile in PERCENTILES:
        beyond = operations * min(percentile, 100 - percentile) / 100
        # A product such as 100000 * (100 - 99.99) / 100 falls short of its whole number by a rounding.
        seconds = percentile_of(histogram, percentile) if round(beyond, 6) >= FEWEST_BEYOND else None
        if seconds is not None:
            points.append(LatencyPoint(percentile=percentile, seconds=seconds))
    return points
