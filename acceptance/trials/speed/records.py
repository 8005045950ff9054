"""The records of the report: the figures of a profile on a class, from its recording."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.loads.fio.samples import Sample
from acceptance.loads.size_rule import SIZE_IN_SECONDS, SmallFile, small_file
from acceptance.measuring.batches import seconds_of
from acceptance.measuring.distribution import distribution
from acceptance.measuring.lasting import judged_part, slowing, warm_up_s
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.measuring.metric_values import metric_estimate, metric_value, shown_metrics, stall_estimate
from acceptance.measuring.stalls import longest_stall
from acceptance.measuring.visits import Spread, across_visits
from acceptance.results.document import Estimate, Measurement, RelativeEstimate, VisitRecord
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.ratios import Ratio
from acceptance.text.quantities import format_quantity

SHOWN_CONFIDENCE = 0.95


def measurement_of(
    recording: Recording, *, plan: AnalysisPlan, spread: Spread | None = None, beside: BySegment = ()
) -> Measurement:
    """Return the record of a recording.

    `spread`: the variance between the visits of the class; None if the load is not one of several visits. `beside`:
    the samples of other loads of the class. Only a stall counts there, because it happened.
    """
    metrics, judged_samples = shown_metrics(recording.samples), recording.samples
    slow, warm_s = None, 0
    if not plan.segments:
        slow = slowing(recording.samples)
        warm_s = 0 if slow else warm_up_s(recording.samples)
        judged_samples = judged_part(recording.samples, slow, plan=plan)
    estimates = {
        metric.path: _shown(metric, judged_samples, plan=plan, spread=spread)
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
        started=recording.segments[0].start_time,
        duration_s=sum(sample.duration_s for sample in seconds),
        fio_version=recording.segments[0].fio_version,
        metrics={path: estimate for path, estimate in estimates.items() if estimate is not None},
        series={rate.path: _by_the_second(rate, seconds) for rate in rates},
        warnings=[*small_file_warnings(recording), *([slow.describe()] if slow else []), *_warm_up_warnings(warm_s)],
        distribution=distribution(judged_samples),
        slowed_down_after_s=slow.after_s if slow else None,
        warm_up_s=warm_s,
        visits=[] if plan.segments else _visits(recording, rates),
        between_visits=spread.rates.deviation if spread else None,
    )


def _warm_up_warnings(seconds: int) -> list[str]:
    """Return the warning that the first seconds do not count; an empty list if all do."""
    duration = format_quantity(float(seconds), unit="s")
    return [f"storage warmed up for {duration} of load, which no value includes"] if seconds else []


def _shown(metric: Metric, samples: BySegment, *, plan: AnalysisPlan, spread: Spread | None) -> Estimate | None:
    """Return the metric with the interval that is shown, which includes the variance between visits."""
    estimate = metric_estimate(metric, samples, plan=plan, confidence=SHOWN_CONFIDENCE)
    return across_visits(estimate, metric, samples, spread=spread)


def _visits(recording: Recording, rates: Sequence[Metric]) -> list[VisitRecord]:
    return [
        VisitRecord(
            started=segment.start_time,
            duration_s=sum(sample.duration_s for sample in segment.samples),
            rates={rate.path: metric_value(rate, segment.samples) or 0.0 for rate in rates},
        )
        for segment in recording.segments
        if segment.samples
    ]


def measurement_id(recording: Recording) -> str:
    """Return the ID by which a run refers to a measurement."""
    return "/".join(filter(None, (recording.storage_class, recording.profile.name, recording.role, recording.beside)))


def _by_the_second(rate: Metric, samples: Sequence[Sample]) -> list[float]:
    """Return the rate in each second, for a chart: a sample of nine seconds counts nine times."""
    return [metric_value(rate, [sample]) or 0.0 for sample in samples for _ in range(seconds_of([sample]))]


def against_baseline(candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan) -> dict[str, RelativeEstimate]:
    """Return the ratio of each metric that both classes show, that is comparable, and that has a ratio."""
    ratios: dict[str, RelativeEstimate] = {}
    for metric in shown_metrics(candidate):
        if not metric.is_comparable:
            continue
        ratio = metric_ratio(metric, candidate, baseline, plan=plan, confidence=SHOWN_CONFIDENCE)
        if (estimate := relative(ratio)) is not None:
            ratios[metric.path] = estimate
    return ratios


def relative(ratio: Ratio) -> RelativeEstimate | None:
    """Return the ratio in the form of the records; None if it has no value or no interval."""
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return None
    return RelativeEstimate(ratio=ratio.value, low=ratio.low, high=ratio.high, confidence=ratio.confidence)


def small_file_warnings(recording: Recording) -> list[str]:
    """Return the warning that the test file is so small that caches may have helped; an empty list otherwise."""
    small = small_file_of(recording, directions=("read", "write"))
    return (
        [f"{small.describe()}, less than {SIZE_IN_SECONDS} s: caches may have helped; {small.remedy}"] if small else []
    )


def small_file_of(recording: Recording, *, directions: Sequence[str]) -> SmallFile | None:
    """Return the test file if it is small for what was read or written of it in these directions, else None."""
    seconds = [sample for segment in recording.samples for sample in segment]
    bandwidth = max(metric_value(Metric.parse(f"{direction}.bandwidth"), seconds) or 0.0 for direction in directions)
    return small_file(recording.profile.text, test_size=recording.volume.test_size, bandwidth=bandwidth)
