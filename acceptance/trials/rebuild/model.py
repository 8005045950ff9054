"""The largest volume that can be rebuilt in time, and the rate over time, from timed rebuilds. Pure.

Source: the Longhorn 1.6 reference report. The time of a rebuild is proportional to its data, so that in a time limit
`limit * size / time` can be rebuilt; snapshots are rebuilt one by one, so that this is divided by their number. If two
sizes were timed, the part that does not grow with the data is separated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from acceptance.measuring.figures import figure
from acceptance.results.rebuilds import RatePoint
from acceptance.results.scaling import Figure
from acceptance.statistics.two_sizes import RepeatedTiming, errors_of, line, size_in

MOST_POINTS = 200
"""The number of points of a series in the results at the most."""
SHORTEST_RATE_S = 1.0
"""Seconds between two polls that make a rate: below it, the polls' own time would show."""


def largest_volume(size: float, seconds: float, *, time_limit_s: float, snapshots: int = 1) -> float:
    """Return the bytes that can be rebuilt in `time_limit_s` if `size` bytes took `seconds`.

    `snapshots`: of the volume, including its head. Raises ValueError for a time or a number not above zero.
    """
    if not seconds > 0.0 or snapshots < 1:
        raise ValueError(f"expected a time above zero and at least one snapshot, found {seconds} s and {snapshots}")
    return time_limit_s * size / seconds / snapshots


def largest_volumes(
    size: float, seconds: Sequence[float], *, time_limit_s: float, snapshots: int, confidence: float
) -> Figure:
    """Return the largest volume from repeated rebuilds: the mean and its interval, without one below three; rebuilds
    are independent."""
    sizes = [largest_volume(size, duration, time_limit_s=time_limit_s, snapshots=snapshots) for duration in seconds]
    return figure(sizes, confidence=confidence, correlation=0.0)


def projected_volumes(
    smaller: RepeatedTiming, larger: RepeatedTiming, *, time_limit_s: float, snapshots: int, confidence: float
) -> Figure:
    """Return the largest volume from the rebuilds of two sizes. If more data took no longer, from the larger alone.

    An interval comes from three rebuilds of each; its `high` is None if they set no bound.
    """
    through = line(smaller.mean, larger.mean)
    if through.pace <= 0.0:
        return largest_volumes(
            larger.size, larger.seconds, time_limit_s=time_limit_s, snapshots=snapshots, confidence=confidence
        )
    errors = errors_of(smaller, larger, confidence=confidence)
    if errors is None:
        return Figure(mean=through.size(time_limit_s) / snapshots, low=None, high=None, batches=[])
    mean, low, high = size_in(time_limit_s, smaller, larger, errors=errors)
    most = None if math.isinf(high) else high / snapshots
    return Figure(mean=mean / snapshots, low=low / snapshots, high=most, batches=[])


@dataclass(frozen=True, kw_only=True)
class ProgressPoint:
    """The share of the data that was rebuilt, 0 to 1, at a moment (s since the trigger)."""

    at_s: float
    share: float


def rates(progress: Sequence[ProgressPoint], *, size: float) -> list[RatePoint]:
    """Return the rate (B/s) between polls at which the progress had changed; empty if there were fewer than two.

    A system that updates its figure less often than it is polled has not stood still in between. A share that falls is
    no rate: the system has begun to count again, and the series continues from there. Changes that follow each other
    too closely are joined, as are those beyond MOST_POINTS.
    """
    changes = [now for last, now in pairwise(progress) if now.share != last.share]
    if not changes:
        return []
    before = progress[0]
    shortest_s = max(SHORTEST_RATE_S, (changes[-1].at_s - before.at_s) / MOST_POINTS)
    points: list[RatePoint] = []
    for number, (last, now) in enumerate(pairwise([before, *changes]), start=1):
        if now.share < last.share:
            before = now
        elif now.at_s - before.at_s >= shortest_s or (number == len(changes) and now.at_s > before.at_s):
            rate = (now.share - before.share) * size / (now.at_s - before.at_s)
            points.append(RatePoint(from_s=before.at_s, to_s=now.at_s, rate=rate))
            before = now
    return points
