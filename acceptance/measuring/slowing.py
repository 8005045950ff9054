"""Storage that slows down under a load without pauses, and the part of the load that shows its lasting speed."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.one_change import slowed_down_after
from acceptance.text.quantities import format_quantity

LASTING_S = 20
"""Seconds of load after the slowdown, without which it is unknown whether the slowdown lasts."""


@dataclass(frozen=True, kw_only=True)
class Slowing:
    """A slowdown after `after_s` seconds of load, from then on to `times` times the speed before."""

    after_s: int
    times: float
    lasting: BySegment
    """The load after the slowdown."""

    def describe(self) -> str:
        """Return the slowdown in words: `storage slowed down after 12 s of load, to 0.37x of its earlier speed`."""
        after = format_quantity(float(self.after_s), unit="s")
        times = format_quantity(self.times, unit="ratio")
        return f"storage slowed down after {after} of load, to {times} of its earlier speed"


def slowing(segments: BySegment) -> Slowing | None:
    """Return the slowdown; None if there is none, or after pauses, because idle time makes storage faster at first."""
    if len(segments) != 1:
        return None
    (samples,) = segments
    operations = [sum(counts.ios for counts in sample.counts.values()) for sample in samples]
    times_s = [sample.duration_s for sample in samples]
    place = slowed_down_after([ios / seconds for ios, seconds in zip(operations, times_s, strict=True)])
    if place is None:
        return None
    before, after = (sum(operations[part]) / sum(times_s[part]) for part in (slice(place), slice(place, None)))
    return Slowing(after_s=loaded_s([samples[:place]]), times=after / before, lasting=[samples[place:]])


def judged_part(segments: BySegment, slowdown: Slowing | None, *, plan: AnalysisPlan) -> BySegment:
    """Return the part of the load that a limit is judged on: the load after a slowdown, else all of it.

    The part after a slowdown counts only if the load is complete and the part is long enough: until then the storage
    may slow down further.
    """
    if slowdown is None or not plan.is_whole(loaded_s(segments)) or loaded_s(slowdown.lasting) < LASTING_S:
        return segments
    return slowdown.lasting
