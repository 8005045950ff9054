"""The lasting speed of storage: without the seconds in which it warms up, and after it has slowed down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.batches import loaded_s, rate
from acceptance.measuring.measure import BySegment
from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan
from acceptance.statistics.one_change import LEAST_DROP, rose_after, slowed_down_after
from acceptance.text.quantities import format_quantity

LASTING_S = 20
"""Seconds of load after a change of speed, without which it is unknown whether the change lasts."""
STRETCH_S = 4
"""The seconds in which storage shows that it is slow, or fast, again."""


@dataclass(frozen=True, kw_only=True)
class Slowing:
    """A slowdown after `after_s` seconds of load, from then on to `times` times the speed before."""

    after_s: int
    times: float
    lasting: BySegment
    """The load after the slowdown, visit by visit."""

    def describe(self) -> str:
        """Return the slowdown in words: `storage slowed down after 12 s of load, to 0.37x of its earlier speed`."""
        after = format_quantity(float(self.after_s), unit="s")
        times = format_quantity(self.times, unit="ratio")
        return f"storage slowed down after {after} of load, to {times} of its earlier speed"


def slowing(visits: BySegment) -> Slowing | None:
    """Return the slowdown of a load without turns, whose visits may be minutes apart; None if there is none.

    It begins within a visit: that one visit is slower than another is a difference between visits. It has lasted if all
    of the load since then is slower than before, and no later visit begins fast again: such storage recovers when idle.
    """
    samples, begin = [sample for visit in visits for sample in visit], 0
    for number, visit in enumerate(visits):
        place = slowed_down_after(_rates(visit))
        if place is None:
            begin += len(visit)
            continue
        place += begin
        before, after = (rate(part) for part in (samples[:place], samples[place:]))
        begins = [rate(later[:STRETCH_S]) for later in visits[number + 1 :] if later]
        if after >= (1 - LEAST_DROP) * before or max(begins, default=0.0) >= math.sqrt(before * after):
            return None
        return Slowing(after_s=loaded_s([samples[:place]]), times=after / before, lasting=_since(visits, place))
    return None


def judged_part(visits: BySegment, slowdown: Slowing | None, *, plan: AnalysisPlan) -> BySegment:
    """Return the part of the load that a limit is judged on: the load after a slowdown, else all but the warm-up.

    The part after a slowdown counts only if the load is complete, and the part is long enough and has at least two
    visits, if the load has several: until then the storage may slow down further, or become as fast as before.
    """
    if slowdown is None:
        return without_warm_up(visits)
    several = len(slowdown.lasting) > 1 or len(visits) == 1
    if not several or not plan.is_whole(loaded_s(visits)) or loaded_s(slowdown.lasting) < LASTING_S:
        return visits
    return slowdown.lasting


def warm_up_s(visits: BySegment) -> int:
    """Return the seconds of load until storage had become faster for the rest of its load; 0 if it did not."""
    return loaded_s([visits[0][: _warm_up(visits)]]) if visits else 0


def without_warm_up(visits: BySegment) -> BySegment:
    """Return the load without the seconds in which the storage warmed up."""
    return _since(visits, _warm_up(visits))


def _warm_up(visits: BySegment) -> int:
    """Return the number of samples of the first visit before a rise in its first minute, after which storage stays
    fast: storage that is slow again later was not warming up.
    """
    rates = _rates(visits[0]) if visits else []
    place = rose_after(rates) or 0
    rest = [value for visit in _since(visits, place) for value in _rates(visit)]
    if not 0 < place <= MINUTE_S or len(rest) < LASTING_S:
        return 0
    slow = math.sqrt(fmean(rates[:place]) * median(rest))
    stretches = (rest[at : at + STRETCH_S] for at in range(0, len(rest), STRETCH_S))
    return place if min(map(fmean, stretches)) > slow else 0


def _since(visits: BySegment, place: int) -> BySegment:
    """Return the samples from a place on, in their visits; a visit that lies before it is left out."""
    rest = []
    for samples in visits:
        if len(samples) > place:
            rest.append(samples[place:])
        place = max(0, place - len(samples))
    return rest


def _rates(samples: Sequence[Sample]) -> list[float]:
    return [rate([sample]) for sample in samples]
