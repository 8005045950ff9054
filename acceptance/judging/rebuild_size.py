"""How long the rebuild of a size that was not measured takes, and so how large a volume may be. Pure.

From one size all of its time is taken to grow with the data; from two, what does not is told apart.
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
from acceptance.statistics.two_sizes import Line, Point, Repeated, errors_of, line, seconds_at

ONCE = 0.25
"""What a rebuild that was measured once may be off by, up or down: one figure does not tell how far the next would be
from it. A limit nearer than that is not decided by it.

A judgement: three rebuilds of 4 s on a busy machine were up to a third from their mean; longer ones differ less."""


class Reach(NamedTuple):
    """From where to where a time or a size may lie; `most` may be infinite."""

    least: float
    most: float

    def with_(self, other: Reach) -> Reach:
        """What lies in either."""
        return Reach(min(self.least, other.least), max(self.most, other.most))


def is_timed(record: RebuildRecord) -> bool:
    """Whether each rebuild took longer than its time is uncertain: one that did not may have taken any time."""
    smaller = [] if record.smaller is None else record.smaller.rebuilds
    return all(each.uncertainty_s < each.seconds for each in (*record.rebuilds, *smaller))


def least_size(record: RebuildRecord) -> float | None:
    """The bytes that are rebuilt in the time limit at the slowest; None where two sizes were timed."""
    by_the_byte = None if record.smaller is not None else seconds_of(record, 1.0)
    return None if by_the_byte is None else record.time_limit_s / by_the_byte.high


def seconds_of(record: RebuildRecord, size: float) -> Interval | None:
    """How long the rebuild of a volume with `size` bytes would take, at the least and at the most.

    That holds the confidence interval of repeats, or `ONCE`; and how well each rebuild was timed. None where two sizes
    were timed, and the larger took no longer.
    """
    data = size * record.snapshots
    mean = through(record).seconds(data)
    if through(record).pace <= 0.0:
        return None
    reach = _by_repeats(record, data).with_(as_timed(record, data))
    return Interval(mean, max(0.0, reach.least), reach.most)


def projected(record: RebuildRecord, size: float) -> Interval | None:
    """The same from two sizes; None where one was timed, or the two do not tell."""
    return None if record.smaller is None else seconds_of(record, size)


def decide_size(record: RebuildRecord, size: float) -> Decision:
    """Whether a volume of `size` bytes can be rebuilt in the time limit.

    What surely grows faster than the data does not pass: what is larger may be slower still.
    """
    found = seconds_of(record, size)
    if found is None:
        return "inconclusive"
    status = decide(found.low, found.high, at_most=record.time_limit_s)
    return "inconclusive" if status == "pass" and grows_faster(record) else status


def through(record: RebuildRecord) -> Line:
    """The time of a size: through those that were timed, or through nothing at no time."""
    larger = Point(record.size, record.seconds)
    if record.smaller is None:
        return Line(0.0, larger.seconds / larger.size)
    return line(_smaller(record).mean, larger)


def grows_faster(record: RebuildRecord) -> bool:
    """Whether the larger of two sizes surely took longer by the byte: a line through both meets no data below zero."""
    if record.smaller is None:
        return False
    return _by_repeats(record, 0.0).with_(as_timed(record, 0.0)).most < 0.0


def as_timed(record: RebuildRecord, data: float) -> Reach:
    """The time of that much data if all rebuilds took as long, and as short, as their uncertainty allows."""
    smaller = None if record.smaller is None else _timed(record.smaller.rebuilds)
    return _between(record, _timed(record.rebuilds), smaller, data)


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
    """From the largest volume's interval, for time and size are the inverse of each other."""
    found = record.largest_volume
    if found.low is None or found.high is None:
        return Reach(*(each * data / record.size for each in _once(record.seconds)))
    longest = math.inf if found.low == 0.0 else record.time_limit_s * data / record.snapshots / found.low
    return Reach(record.time_limit_s * data / record.snapshots / found.high, longest)


def _between(record: RebuildRecord, larger: Reach, smaller: Reach | None, data: float) -> Reach:
    """The time of that much data for all times between the bounds of both sizes: it is linear in each."""
    if smaller is None or record.smaller is None:
        return Reach(*(each * data / record.size for each in larger))
    found = [
        line(Point(record.smaller.size, least), Point(record.size, most)).seconds(data)
        for least, most in product(smaller, larger)
    ]
    return Reach(min(found), max(found))


def _once(seconds: float) -> Reach:
    return Reach(seconds / (1 + ONCE), seconds * (1 + ONCE))


def _timed(rebuilds: Sequence[TimedRebuild]) -> Reach:
    """One that was seen no longer than its uncertainty may have taken any time, however short."""
    shortest = [rebuild.seconds - rebuild.uncertainty_s for rebuild in rebuilds]
    return Reach(
        fmean(shortest) if min(shortest) > 0.0 else 0.0,
        fmean(rebuild.seconds + rebuild.uncertainty_s for rebuild in rebuilds),
    )


def _smaller(record: RebuildRecord) -> Repeated:
    assert record.smaller is not None
    return Repeated(size=record.smaller.size, seconds=[rebuild.seconds for rebuild in record.smaller.rebuilds])


def _larger(record: RebuildRecord) -> Repeated:
    return Repeated(size=record.size, seconds=[rebuild.seconds for rebuild in record.rebuilds])
