"""From the samples of every volume to the record of a step: only seconds in which all were loaded count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from acceptance.measuring.metric_values import metric_value
from acceptance.metrics import Metric
from acceptance.scaling.model import figure
from acceptance.scaling.records import Figure, RateRecord, StepRecord, VolumeRecord
from acceptance.scaling.windows import TimedSample, Window, batch_length, batch_values, common_window, samples_in

CONFIDENCE = 0.98
"""Of every two-sided interval: storage exactly at its limit passes in at most 1 % of runs, and fails in at most 1 %."""


@dataclass(frozen=True, kw_only=True)
class LoadedVolume:
    """What one pod's fio showed in a step, by the suite's own clock. `offset_s` was added to the clock of its node."""

    pod: str
    node: str
    offset_s: float
    samples: Sequence[TimedSample]


def step_record(volumes: Sequence[LoadedVolume], *, metric: Metric, window_s: float) -> StepRecord:
    """The record of a step. Raises what `common_window` raises."""
    window, length_s = _window(volumes, window_s)
    rates = [batch_values(metric, each.samples, window, length_s=length_s) or [] for each in volumes]
    offsets = [each.offset_s for each in volumes]
    return StepRecord(
        pods=len(volumes),
        window_s=window.length_s,
        batch_s=length_s,
        total=figure([sum(batch) for batch in zip(*rates, strict=True)], confidence=CONFIDENCE),
        latency_mean_s=_over_pods(_latency(metric, "mean"), volumes, window, length_s),
        latency_p99_s=_over_pods(_latency(metric, "p99"), volumes, window, length_s),
        volumes=[
            _volume(each, batches, metric, window, of=len(volumes))
            for each, batches in zip(volumes, rates, strict=True)
        ],
        clock_spread_s=max(offsets) - min(offsets),
    )


def rate_record(volumes: Sequence[LoadedVolume], *, metric: Metric, rate: float, window_s: float) -> RateRecord:
    """The record of a run in which each volume was asked for `rate`, in the metric's unit.

    Raises what `common_window` raises.
    """
    window, length_s = _window(volumes, window_s)
    reached: Mapping[str, Figure] = {
        each.pod: _share(
            [value / rate for value in batch_values(metric, each.samples, window, length_s=length_s) or []]
        )
        for each in volumes
    }
    slowest_first = sorted(reached, key=lambda pod: reached[pod].mean)
    return RateRecord(pods=len(volumes), rate=rate, reached={pod: reached[pod] for pod in slowest_first})


def _share(batches: Sequence[float]) -> Figure:
    """The share of the rate that was got over the window, and how far its edges may mislead.

    A rate limiter makes up in the next second for what it lacked in this one, so batches are no independent noise and
    the total is what counts. Open is only what stood out at the edges of the window: no more than in the worst batch.
    """
    mean = fmean(batches)
    reach = max(abs(value - mean) for value in batches) / len(batches)
    return Figure(mean=mean, low=max(0.0, mean - reach), high=mean + reach, batches=list(batches))


def default_metric(profile: str) -> Metric:
    """The rate that a profile is about by its name, in the naming of the field: `random-read-bandwidth`."""
    direction = "read" if "read" in profile.split("-") else "write"
    return Metric.parse(f"{direction}.{'bandwidth' if 'bandwidth' in profile.split('-') else 'iops'}")


def _window(volumes: Sequence[LoadedVolume], window_s: float) -> tuple[Window, int]:
    return common_window({each.pod: each.samples for each in volumes}, wanted_s=window_s), batch_length(window_s)


def _latency(rate: Metric, statistic: Literal["mean", "p99"]) -> Metric:
    return Metric.parse(f"{rate.direction}.latency.{statistic}")


def _over_pods(latency: Metric, volumes: Sequence[LoadedVolume], window: Window, length_s: int) -> Figure | None:
    """The mean over pods in each batch; None where some pod says nothing about it."""
    values = [batch_values(latency, each.samples, window, length_s=length_s) for each in volumes]
    known = [each for each in values if each is not None]
    if len(known) < len(values):
        return None
    return figure([fmean(batch) for batch in zip(*known, strict=True)], confidence=CONFIDENCE)


def _volume(loaded: LoadedVolume, rates: Sequence[float], metric: Metric, window: Window, *, of: int) -> VolumeRecord:
    """Its rate and the bounds of that.

    All of a step reach a limit when the lower bound of each does, so that none needs more than its own confidence. One
    alone misses it for all: so that the slowest of `of` volumes is slow by chance no more often than a single one, the
    upper bound is that of a confidence whose rest is divided by their number (Bonferroni's inequality, Casella &
    Berger, Statistical Inference, 1.2.2).
    """
    samples = samples_in(loaded.samples, window)
    found = figure(rates, confidence=CONFIDENCE)
    return VolumeRecord(
        pod=loaded.pod,
        node=loaded.node,
        rate=found.mean,
        low=found.low,
        high=figure(rates, confidence=1 - (1 - CONFIDENCE) / of).high,
        latency_mean_s=metric_value(_latency(metric, "mean"), samples),
        latency_p99_s=metric_value(_latency(metric, "p99"), samples),
    )
