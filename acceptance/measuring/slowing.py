"""Storage that slows down while it is loaded without a pause, and what of the load says what it does to the end."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.one_change import slowed_down_after
from acceptance.text.quantities import format_quantity

LASTING_S = 20
"""seconds of load after it slowed down, without which nobody knows whether that lasts"""


@dataclass(frozen=True, kw_only=True)
class Slowing:
    """After so many seconds of load (`after_s`) it did so many times as much as before, to the end."""

    after_s: int
    times: float
    lasting: BySegment
    """the load after that"""

    def describe(self) -> str:
        """`storage slowed down after 12 s of load, to 0.37x of what it did until then`"""
        after = format_quantity(float(self.after_s), unit="s")
        times = format_quantity(self.times, unit="ratio")
        return f"storage slowed down after {after} of load, to {times} of its speed until then"


def slowing(segments: BySegment) -> Slowing | None:
    """None where it did not, and for a load with pauses: what rested is faster at first."""
    if len(segments) != 1:
        return None
    (samples,) = segments
    done = [sum(counts.ios for counts in sample.counts.values()) for sample in samples]
    times_s = [sample.duration_s for sample in samples]
    place = slowed_down_after([ios / seconds for ios, seconds in zip(done, times_s, strict=True)])
    if place is None:
        return None
    before, after = (sum(done[part]) / sum(times_s[part]) for part in (slice(place), slice(place, None)))
    return Slowing(after_s=loaded_s([samples[:place]]), times=after / before, lasting=[samples[place:]])


def judged_part(segments: BySegment, found: Slowing | None, *, plan: AnalysisPlan) -> BySegment:
    """What a limit is judged on: all of the load, or what it did to the end after it slowed down.

    That only when all of the load is there, and long enough since: until then it may go on slowing down.
    """
    if found is None or not plan.is_whole(loaded_s(segments)) or loaded_s(found.lasting) < LASTING_S:
        return segments
    return found.lasting
