"""The common window: the seconds in which every volume was loaded, by one clock, and what was done in them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.metric_values import metric_value
from acceptance.results.metrics import Metric
from acceptance.text.errors import EnvironmentFailure, StorageFailure


@dataclass(frozen=True, kw_only=True)
class TimedSample:
    """A sample and when it ended, in s since the epoch, by the clock of the node that it comes from."""

    end_s: float
    sample: Sample

    @property
    def start_s(self) -> float:
        """When it began."""
        return self.end_s - self.sample.duration_s


class ShortWindow(EnvironmentFailure):
    """The volumes were not loaded together for long enough; `missing_s` is what the window lacks."""

    def __init__(self, message: str, *, missing_s: float) -> None:
        super().__init__(message)
        self.missing_s = missing_s


@dataclass(frozen=True, kw_only=True)
class Window:
    """The time in which all volumes were loaded, in s since the epoch by the suite's own clock."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Its length; below zero where not all were loaded at the same time."""
        return self.end_s - self.start_s


Loads = Mapping[str, Sequence[TimedSample]]
"""By pod: its samples, in order, by the suite's own clock."""


def corrected(samples: Sequence[TimedSample], *, offset_s: float) -> list[TimedSample]:
    """The samples by the suite's own clock; `offset_s` is what the node's clock lacks of it."""
    return [TimedSample(end_s=sample.end_s + offset_s, sample=sample.sample) for sample in samples]


def common_window(loads: Loads, *, wanted_s: float) -> Window:
    """The time in which every pod was loading, cut to `wanted_s`.

    Raises StorageFailure for a pod that shows no load at all, ShortWindow when the time is shorter than wanted; both
    name the pods.
    """
    idle = [pod for pod, samples in loads.items() if not samples]
    if idle:
        raise StorageFailure(
            f"{', '.join(idle)} did no load in the step: no second of it was seen; see fio's output of that pod"
        )
    starts = {pod: samples[0].start_s for pod, samples in loads.items()}
    ends = {pod: samples[-1].end_s for pod, samples in loads.items()}
    window = Window(start_s=max(starts.values()), end_s=min(ends.values()))
    if window.length_s < wanted_s:
        last, first = max(starts, key=starts.__getitem__), min(ends, key=ends.__getitem__)
        late, early = starts[last] - min(starts.values()), max(ends.values()) - ends[first]
        raise ShortWindow(
            f"wanted {wanted_s:.0f} s in which all {len(loads)} volumes are loaded, found "
            f"{max(0, window.length_s):.1f} s: {last} began last, {late:.1f} s after the first, and {first} ended "
            f"first, {early:.1f} s before the last; a less busy cluster, or fewer pods a node, help",
            missing_s=wanted_s - window.length_s,
        )
    return Window(start_s=window.start_s, end_s=window.start_s + wanted_s)


def batch_length(window_s: float) -> int:
    """The length of the batches that a window is cut into, in s: about ten of them, none below a second."""
    return max(1, math.floor(window_s / 10))


def batches_of(samples: Sequence[TimedSample], window: Window, *, length_s: int) -> list[list[Sample]]:
    """The samples of each batch of the window: see `samples_in`."""
    starts = [window.start_s + number * length_s for number in range(math.floor(window.length_s / length_s + 1e-6))]
    return [samples_in(samples, Window(start_s=start, end_s=start + length_s)) for start in starts]


def samples_in(samples: Sequence[TimedSample], window: Window) -> list[Sample]:
    """The samples whose middle lies in the window; where there is none, the one that was going on.

    So a second that took five counts five times where batches are of one second.
    """
    inside = [sample.sample for sample in samples if window.start_s <= _middle(sample) < window.end_s]
    moment = (window.start_s + window.end_s) / 2
    return inside or [min(samples, key=lambda sample: max(sample.start_s - moment, moment - sample.end_s)).sample]


def _middle(timed: TimedSample) -> float:
    return (timed.start_s + timed.end_s) / 2


def batch_values(
    metric: Metric, samples: Sequence[TimedSample], window: Window, *, length_s: int
) -> list[float] | None:
    """The metric of one volume in each batch, in its unit; None where a batch says nothing about it."""
    values = [metric_value(metric, batch) for batch in batches_of(samples, window, length_s=length_s)]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None
