"""Estimates of the rebuild time of other sizes, and from it of the largest volume. Pure.

From one size, all of its time is assumed to grow with the data; two sizes distinguish the part that does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from acceptance.judging.outcome import decide
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.results.requirement import Decision
from acceptance.statistics.intervals import Interval
from acceptance.statistics.two_sizes import Line, Point, RepeatedTiming, errors_of, line, seconds_at

ONCE = 0.25
"""The assumed error, up or down, of a rebuild that was measured once: one figure does not show the spread of others.
It decides no limit that is nearer than that.

A judgment: three rebuilds of 4 s on a busy machine were up to a third from their mean; longer ones differ less."""


class Reach(NamedTuple):
    """The bounds of a time or a size; `most` may be infinite."""

    least: float
    most: float

    def with_(self, second: Reach) -> Reach:
        """Return the bounds that contain both."""
        return Reach(min(self.least, second.least), max(self.most, second.most))


def is_timed(record: RebuildRecord) -> bool:
    """Return whether each rebuild took longer than its uncertainty; one that did not may have taken any time."""
    smaller = [] if record.smaller is None else record.smaller.rebuilds
    return all(rebuild.uncertainty_s < rebuild.seconds for rebuild in (*record.rebuilds, *smaller))


def least_size(record: RebuildRecord) -> float | None:
    """Return the bytes that are rebuilt in the time limit at the slowest pace; None if two sizes were timed."""
    by_the_byte = None if record.smaller is not None else seconds_of(record, 1.0)
    return None if by_the_byte is None else record.time_limit_s / by_the_byte.high


def seconds_of(record: RebuildRecord, size: float) -> Interval | None:
    """Return the time that the rebuild of a volume with `size` bytes would take, with its bounds.

    The bounds contain the confidence interval of repeats, or `ONCE`, and the uncertainty of each rebuild's time. None
    if two sizes were timed, and the larger took no longer.
    """
    data = size * record.snapshots
    mean = through(record).seconds(data)
    if through(record).pace <= 0.0:
        return None
    reach = _by_repeats(record, data).with_(by_timing(record, data))
    return Interval(mean, max(0.0, reach.least), reach.most)


def project_seconds(record: RebuildRecord, size: float) -> Interval | None:
    """Return `seconds_of` from two sizes; None if only one was timed, or the two do not allow it."""
    return None if record.smaller is None else seconds_of(record, size)


def decide_size(record: RebuildRecord, size: float) -> Decision:
    """Return the decision if a volume of `size` bytes can be rebuilt in the time limit.

    A time that surely grows faster than the data does not pass: larger volumes may be slower still.
    """
    interval = seconds_of(record, size)
    if interval is None:
        return "inconclusive"
    status = decide(interval.low, interval.high, at_most=record.time_limit_s)
    return "inconclusive" if status == "pass" and grows_faster(record) else status


def through(record: RebuildRecord) -> Line:
    """Return the line of time by size: through the timed sizes, or through one of them and the origin."""
    larger = Point(record.size, record.seconds)
    if record.smaller is None:
        return Line(0.0, larger.seconds / larger.size)
    return line(_smaller(record).mean, larger)


def grows_faster(record: RebuildRecord) -> bool:
    """Return whether the larger of two sizes surely took longer by the byte: the line is below zero at no data."""
    if record.smaller is None:
        return False
    return _by_repeats(record, 0.0).with_(by_timing(record, 0.0)).most < 0.0


def by_timing(record: RebuildRecord, data: float) -> Reach:
    """Return the bounds of the time for that much data, by the uncertainty of each rebuild's time."""
    smaller = None if record.smaller is None else _timing_reach(record.smaller.rebuilds)
    return _between(record, _timing_reach(record.rebuilds), smaller, data)


def _by_repeats(record: RebuildRecord, data: float) -> Reach:
    if record.smaller is None:
        return _by_repeats_of_one(record, data)
    smaller, larger = _smaller(record), _larger(record)
    errors = errors_of(smaller, larger, confidence=record.confidence)
    if errors is not None:
        _, low, high = seconds_at(data, smaller, larger, errors=errors)
        return Reach(low, high)
    return _between(record, _once(larger.mean.seconds), _once(smaller.mean.seconds), data)


def _by_repeats_of_one(record: RebuildRecord, data: float) -> Reach:
    """Return the bounds from the interval of the largest volume, because time and size are inverse to each other."""
    largest = record.largest_volume
    if largest.low is None or largest.high is None:
        return Reach(*(time_s * data / record.size for time_s in _once(record.seconds)))
    longest = math.inf if largest.low == 0.0 else record.time_limit_s * data / record.snapshots / largest.low
    return Reach(record.time_limit_s * data / record.snapshots / largest.high, longest)


def _between(record: RebuildRecord, larger: Reach, smaller: Reach | None, data: float) -> Reach:
    """Return the bounds of the time for that much data, from the bounds of both sizes: it is linear in each."""
    if smaller is None or record.smaller is None:
        return Reach(*(time_s * data / record.size for time_s in larger))
    times_s = [
        line(Point(record.smaller.size, least), Point(record.size, most)).seconds(data)
        for least, most in product(smaller, larger)
    ]
    return Reach(min(times_s), max(times_s))


def _once(seconds: float) -> Reach:
    return Reach(seconds / (1 + ONCE), seconds * (1 + ONCE))


def _timing_reach(rebuilds: Sequence[TimedRebuild]) -> Reach:
    """Return the bounds of the mean time. A rebuild shorter than its uncertainty may have taken any time."""
    shortest = [rebuild.seconds - rebuild.uncertainty_s for rebuild in rebuilds]
    return Reach(
        fmean(shortest) if min(shortest) > 0.0 else 0.0,
        fmean(rebuild.seconds + rebuild.uncertainty_s for rebuild in rebuilds),
    )


def _smaller(record: RebuildRecord) -> RepeatedTiming:
    assert record.smaller is not None
    return RepeatedTiming(size=record.smaller.size, seconds=[rebuild.seconds for rebuild in record.smaller.rebuilds])


def _larger(record: RebuildRecord) -> RepeatedTiming:
    return RepeatedTiming(size=record.size, seconds=[rebuild.seconds for rebuild in record.rebuilds])
