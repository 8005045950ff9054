"""The records of the report: what a profile showed on a class, from its recording."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.loads.fio.samples import Sample
from acceptance.loads.size_rule import SIZE_IN_SECONDS, SmallFile, small_file
from acceptance.measuring.batches import seconds_of
from acceptance.measuring.distribution import distribution
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.measuring.metric_values import metric_estimate, metric_value, shown_metrics, stall_estimate
from acceptance.measuring.slowing import judged_part, slowing
from acceptance.measuring.stalls import longest_stall
from acceptance.results.document import Measurement, RelativeEstimate
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.ratios import Ratio

SHOWN_CONFIDENCE = 0.95


def measurement_of(recording: Recording, *, plan: AnalysisPlan, beside: BySegment = ()) -> Measurement:
    """`beside`: what else the class was loaded with. Only a stall counts there, for it happened."""
    metrics, slow = shown_metrics(recording.samples), slowing(recording.samples)
    judged = judged_part(recording.samples, slow, plan=plan)
    estimates = {
        metric.path: metric_estimate(metric, judged, plan=plan, confidence=SHOWN_CONFIDENCE)
        if metric.statistic != "longest"
        else stall_estimate(
            longest_stall([*recording.samples, *beside]), metric, recording.samples, confidence=SHOWN_CONFIDENCE
        )
        for metric in metrics
    }
    rates = [metric for metric in metrics if metric.statistic == "iops"]
    seconds = [sample for segment in recording.samples for sample in segment]
    return Measurement(
        id=measurement_id(recording),
        profile=recording.profile.name,
        storage_class=recording.storage_class,
        role=recording.role,
        node=recording.volume.node,
        pods=[segment.pod for segment in recording.segments],
        started=recording.segments[0].started,
        duration_s=sum(sample.duration_s for sample in seconds),
        fio_version=recording.segments[0].fio_version,
        metrics={path: estimate for path, estimate in estimates.items() if estimate is not None},
        series={rate.path: _by_the_second(rate, seconds) for rate in rates},
        warnings=[*small_file_warnings(recording), *([slow.describe()] if slow else [])],
        distribution=distribution(judged),
        slowed_down_after_s=slow.after_s if slow else None,
    )


def measurement_id(recording: Recording) -> str:
    """By which a run knows a measurement."""
    return "/".join(filter(None, (recording.storage_class, recording.profile.name, recording.role, recording.beside)))


def _by_the_second(rate: Metric, samples: Sequence[Sample]) -> list[float]:
    """What is drawn: the rate in each second, so that a sample of nine seconds is nine of them."""
    return [metric_value(rate, [sample]) or 0.0 for sample in samples for _ in range(seconds_of([sample]))]


def against_baseline(candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan) -> dict[str, RelativeEstimate]:
    """Each metric that is worth showing of both, can be compared, and has a ratio."""
    found: dict[str, RelativeEstimate] = {}
    for metric in shown_metrics(candidate):
        if not metric.is_comparable:
            continue
        each = metric_ratio(metric, candidate, baseline, plan=plan, confidence=SHOWN_CONFIDENCE)
        if (one := relative(each)) is not None:
            found[metric.path] = one
    return found


def relative(found: Ratio) -> RelativeEstimate | None:
    """As the records have it; None where there is none, or no interval."""
    if found.value is None or found.low is None or found.high is None:
        return None
    return RelativeEstimate(ratio=found.value, low=found.low, high=found.high, confidence=found.confidence)


def small_file_warnings(recording: Recording) -> list[str]:
    """That the test file is so small that caches may have helped; nothing of others."""
    small = small_file_of(recording, directions=("read", "write"))
    return (
        [f"{small.describe()}, less than {SIZE_IN_SECONDS} s: caches may have helped; {small.remedy}"] if small else []
    )


def small_file_of(recording: Recording, *, directions: Sequence[str]) -> SmallFile | None:
    """Whether the test file is small for what was read or written of it in these directions."""
    seconds = [sample for segment in recording.samples for sample in segment]
    bandwidth = max(metric_value(Metric.parse(f"{direction}.bandwidth"), seconds) or 0.0 for direction in directions)
    return small_file(recording.profile.text, test_size=recording.volume.test_size, bandwidth=bandwidth)
