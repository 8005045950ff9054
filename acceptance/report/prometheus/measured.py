"""The measurements of single volumes: a gauge for each kind of metric, with the bounds of its interval."""

from __future__ import annotations

from statistics import median

from acceptance.report.gauges import Gauge, Samples
from acceptance.results.document import Estimate, Measurement, Results
from acceptance.results.metrics import Metric, Statistic

_OF_A_PROFILE = ("class", "role", "profile", "pattern")
_WITH_BOUND = (*_OF_A_PROFILE, "direction", "bound")
IOPS = Gauge(name="iops", help="IOPS of one volume", labels=_WITH_BOUND)
BANDWIDTH = Gauge(name="bandwidth_bytes_per_second", help="bandwidth of one volume", labels=_WITH_BOUND)
LATENCY = Gauge(
    name="latency_seconds",
    help="latency of an operation: its mean, or a percentile such as p99",
    labels=(*_WITH_BOUND, "statistic"),
)
CPU = Gauge(
    name="cpu_usage_ratio",
    help="CPU seconds that the load generator used in a second; 1 is one full CPU",
    labels=(*_OF_A_PROFILE, "bound"),
)
CPU_PER_OPERATION = Gauge(
    name="operation_cpu_seconds",
    help="CPU seconds of the load generator divided by the reads and writes that completed in the same time",
    labels=(*_OF_A_PROFILE, "bound"),
)
STALL = Gauge(
    name="longest_stall_seconds",
    help="longest time that a single operation took",
    labels=(*_OF_A_PROFILE, "bound"),
)
RATIO = Gauge(
    name="baseline_ratio",
    help="candidate divided by baseline, measured in alternating turns on the same node",
    labels=("profile", "pattern", "metric", "bound"),
)
STEP = Gauge(
    name="provisioning_step_seconds",
    help="duration of a step in the life of a volume: median and longest",
    labels=("step", "statistic"),
)
_GAUGES: dict[Statistic, Gauge] = {
    "iops": IOPS,
    "bandwidth": BANDWIDTH,
    "cpu": CPU,
    "cpu_per_operation": CPU_PER_OPERATION,
    "longest": STALL,
}
_PATTERN = ("random", "sequential", "sync", "read", "write")


def add_measurements(samples: Samples, results: Results, candidate: str) -> None:
    """Set the samples of the candidate's measurements, and of the baseline's that were made in turn with them."""
    own = [
        measurement
        for measurement in results.measurements
        if (measurement.role, measurement.storage_class) == ("candidate", candidate)
    ]
    for measurement in own:
        for path, ratio in measurement.against_baseline.items():
            labels = {"profile": measurement.profile, "pattern": pattern(measurement.profile), "metric": path}
            samples.set_bounds(RATIO, ratio.ratio, low=ratio.low, high=ratio.high, **labels)
    beside = {measurement.compared_with for measurement in own}
    for measurement in (*own, *(baseline for baseline in results.measurements if baseline.id in beside)):
        for path, estimate in measurement.metrics.items():
            _add(samples, measurement, Metric.parse(path), estimate)


def add_steps(samples: Samples, results: Results, candidate: str) -> None:
    """Set the duration of each step of a volume's life."""
    times: dict[str, list[float]] = {}
    for record in results.steps:
        if record.storage_class == candidate:
            times.setdefault(record.step, []).append(record.seconds)
    for step, seconds in times.items():
        samples.set(STEP, median(seconds), step=step, statistic="median")
        samples.set(STEP, max(seconds), step=step, statistic="longest")


def pattern(profile: str) -> str:
    """Return the words of the profile's name that say how it reads and writes.

    Such as `random-read`, `sync-write`; the empty text if no word does.
    """
    return "-".join(word for word in profile.split("-") if word in _PATTERN)


def _add(samples: Samples, measurement: Measurement, metric: Metric, estimate: Estimate) -> None:
    gauge = _GAUGES.get(metric.statistic, LATENCY)
    labels = {
        "class": measurement.storage_class,
        "role": measurement.role,
        "profile": measurement.profile,
        "pattern": pattern(measurement.profile),
    }
    if metric.direction is not None:
        labels["direction"] = metric.direction
    if gauge is LATENCY:
        labels["statistic"] = metric.path.partition(".latency.")[2]
    samples.set_bounds(gauge, estimate.mean, low=estimate.low, high=estimate.high, **labels)
