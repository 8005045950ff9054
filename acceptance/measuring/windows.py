"""The common window: the seconds in which every volume was loaded, by one clock, and the operations in them."""

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
    """A sample and its end, in s since the epoch, by the clock of the node that it comes from."""

    end_s: float
    sample: Sample

    @property
    def start_s(self) -> float:
        """The beginning of the sample, by the same clock."""
        return self.end_s - self.sample.duration_s


class ShortWindow(EnvironmentFailure):
    """The error that the volumes were not loaded together for long enough; the window lacks `missing_s` seconds."""

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
        """The length of the window (s); negative if the volumes were not all loaded at the same time."""
        return self.end_s - self.start_s


Loads = Mapping[str, Sequence[TimedSample]]
"""The samples of each pod, in order, by the suite's own clock."""


def correct_clock(samples: Sequence[TimedSample], *, offset_s: float) -> list[TimedSample]:
    """Return the samples by the suite's own clock, which is `offset_s` ahead of the node's."""
    return [TimedSample(end_s=sample.end_s + offset_s, sample=sample.sample) for sample in samples]


def common_window(loads: Loads, *, wanted_s: float) -> Window:
    """Return the time in which every pod was loading, cut to `wanted_s`.

    Raises StorageFailure if a pod shows no load at all, ShortWindow if the time is shorter than expected; both name the
    pods.
    """
    idle = [pod for pod, samples in loads.items() if not samples]
    if idle:
        raise StorageFailure(f"{', '.join(idle)} showed no load in the step; see fio's output of that pod")
    starts = {pod: samples[0].start_s for pod, samples in loads.items()}
    ends = {pod: samples[-1].end_s for pod, samples in loads.items()}
    window = Window(start_s=max(starts.values()), end_s=min(ends.values()))
    if window.length_s < wanted_s:
        last, first = max(starts, key=starts.__getitem__), min(ends, key=ends.__getitem__)
        late, early = starts[last] - min(starts.values()), max(ends.values()) - ends[first]
        raise ShortWindow(
            f"expected {wanted_s:.0f} s in which all {len(loads)} volumes are loaded, found "
            f"{max(0, window.length_s):.1f} s: {last} began last, {late:.1f} s after the first, and {first} ended "
            f"first, {early:.1f} s before the last; use a less busy cluster, or fewer pods per node",
            missing_s=wanted_s - window.length_s,
        )
    return Window(start_s=window.start_s, end_s=window.start_s + wanted_s)


def batch_length(window_s: float) -> int:
    """Return the length of a window's batches in s: about ten batches, none below a second."""
    return max(1, math.floor(window_s / 10))


def batches_of(samples: Sequence[TimedSample], window: Window, *, length_s: int) -> list[list[Sample]]:
    """Return the samples of each batch of the window: see `samples_in`."""
    starts = [window.start_s + number * length_s for number in range(math.floor(window.length_s / length_s + 1e-6))]
    return [samples_in(samples, Window(start_s=start, end_s=start + length_s)) for start in starts]


def samples_in(samples: Sequence[TimedSample], window: Window) -> list[Sample]:
    """Return the samples whose middle lies in the window; if there is none, the sample that was in progress.

    So a sample of five seconds counts five times in batches of one second.
    """
    inside = [sample.sample for sample in samples if window.start_s <= _middle(sample) < window.end_s]
    moment = (window.start_s + window.end_s) / 2
    return inside or [min(samples, key=lambda sample: max(sample.start_s - moment, moment - sample.end_s)).sample]


def _middle(sample: TimedSample) -> float:
    return (sample.start_s + sample.end_s) / 2


def batch_values(
    metric: Metric, samples: Sequence[TimedSample], window: Window, *, length_s: int
) -> list[float] | None:
    """Return the metric of one volume in each batch, in its unit; None if a batch does not show it."""
    values = [metric_value(metric, batch) for batch in batches_of(samples, window, length_s=length_s)]
    known_values = [value for value in values if value is not None]
    return known_values if len(known_values) == len(values) else None
