"""The record of a step from the samples of every volume: only seconds in which all were loaded count."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from acceptance.measuring.figures import interval_of
from acceptance.measuring.metric_values import metric_value
from acceptance.measuring.rate_share import share_of_rate
from acceptance.measuring.windows import Window, batch_length, batch_values, common_window, samples_in
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure, RateRecord, StepRecord, VolumeRecord
from acceptance.statistics.step_analyses import CONFIDENCE, RATE_CONFIDENCE, value_correlation
from acceptance.trials.scaling.loaded_volume import LoadedVolume


def step_record(volumes: Sequence[LoadedVolume], *, metric: Metric, window_s: float) -> StepRecord:
    """Return the record of a step. Raises what `common_window` raises."""
    window, length_s = _window(volumes, window_s)
    rates = [batch_values(metric, volume.samples, window, length_s=length_s) or [] for volume in volumes]
    offsets = [volume.offset_s for volume in volumes]
    return StepRecord(
        pods=len(volumes),
        window_s=window.length_s,
        batch_s=length_s,
        total=interval_of([sum(batch) for batch in zip(*rates, strict=True)], batch_s=length_s),
        latency_mean_s=_over_pods(_latency(metric, "mean"), volumes, window, length_s),
        latency_p99_s=_over_pods(_latency(metric, "p99"), volumes, window, length_s),
        volumes=[
            _volume(volume, batches, metric, window, batch_s=length_s, of=len(volumes))
            for volume, batches in zip(volumes, rates, strict=True)
        ],
        clock_spread_s=max(offsets) - min(offsets),
    )


def rate_record(volumes: Sequence[LoadedVolume], *, metric: Metric, rate: float, window_s: float) -> RateRecord:
    """Return the record of a run in which `rate` was required of each volume, in the metric's unit.

    The slowest of all volumes is slow by chance no more often than a single one (Bonferroni's inequality). Raises what
    `common_window` raises.
    """
    window, length_s = _window(volumes, window_s)
    confidence = 1 - (1 - RATE_CONFIDENCE) / len(volumes)
    shares = {
        volume.pod: share_of_rate(
            volume.samples,
            head=volume.head,
            metric=metric,
            rate=rate,
            window=window,
            length_s=length_s,
            confidence=confidence,
            correlation=value_correlation(length_s),
        )
        for volume in volumes
    }
    slowest_first = sorted(shares, key=lambda pod: shares[pod].mean)
    return RateRecord(
        pods=len(volumes), rate=rate, window_s=window_s, reached={pod: shares[pod] for pod in slowest_first}
    )


def default_metric(profile: str) -> Metric:
    """Return the rate that a profile is about by its name, in the naming of the field: `random-read-bandwidth`."""
    direction = "read" if "read" in profile.split("-") else "write"
    return Metric.parse(f"{direction}.{'bandwidth' if 'bandwidth' in profile.split('-') else 'iops'}")


def _window(volumes: Sequence[LoadedVolume], window_s: float) -> tuple[Window, int]:
    return common_window({volume.pod: volume.samples for volume in volumes}, wanted_s=window_s), batch_length(window_s)


def _latency(rate: Metric, statistic: Literal["mean", "p99"]) -> Metric:
    return Metric.parse(f"{rate.direction}.latency.{statistic}")


def _over_pods(latency: Metric, volumes: Sequence[LoadedVolume], window: Window, length_s: int) -> Figure | None:
    """Return the mean over pods in each batch; None if some pod has none."""
    values = [batch_values(latency, volume.samples, window, length_s=length_s) for volume in volumes]
    series = [value for value in values if value is not None]
    if len(series) < len(values):
        return None
    return interval_of([fmean(batch) for batch in zip(*series, strict=True)], batch_s=length_s)


def _volume(
    volume: LoadedVolume, rates: Sequence[float], metric: Metric, window: Window, *, batch_s: int, of: int
) -> VolumeRecord:
    """Return the record of a volume: its rate and the bounds of the rate.

    All volumes of a step reach a limit if the lower bound of each does, so that none needs more than its own
    confidence. A single volume misses it for all: so that the slowest of `of` volumes is slow by chance no more often
    than a single one, the upper bound has a confidence whose remainder is divided by their number (Bonferroni's
    inequality, Casella & Berger, Statistical Inference, 1.2.2).
    """
    samples = samples_in(volume.samples, window)
    interval = interval_of(rates, batch_s=batch_s)
    return VolumeRecord(
        pod=volume.pod,
        node=volume.node,
        rate=interval.mean,
        low=interval.low,
        high=interval_of(rates, batch_s=batch_s, confidence=1 - (1 - CONFIDENCE) / of).high,
        latency_mean_s=metric_value(_latency(metric, "mean"), samples),
        latency_p99_s=metric_value(_latency(metric, "p99"), samples),
    )
