"""Which earlier runs can be compared with one: the same load on the same class of the same cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from acceptance.results.document import Measurement, Results
from acceptance.results.history import AcceptedLevel, KeptMeasurement, KeptMetric, RunRecord, TrendPoint


@dataclass(frozen=True, kw_only=True)
class Series:
    """What runs must have in common for their figures to be one series."""

    cluster: str
    baseline_class: str | None
    volume_size: int
    test_size: int
    volume_mode: str
    storage_class: str
    profile: str
    profile_digest: str

    @classmethod
    def of(cls, run: RunRecord, measurement: KeptMeasurement) -> Series:
        """The series that a measurement of the run belongs to."""
        return cls(
            cluster=run.cluster,
            baseline_class=run.baseline_class,
            volume_size=run.volume_size,
            test_size=run.test_size,
            volume_mode=run.volume_mode,
            storage_class=measurement.storage_class,
            profile=measurement.profile,
            profile_digest=measurement.profile_digest,
        )


@dataclass(frozen=True, kw_only=True)
class Past:
    """A metric in the runs that can be compared, oldest first; `others`: runs of the class and profile that cannot.

    `accepted`: the place of the first run of the accepted level, which is the first of all where none was accepted.
    """

    points: tuple[TrendPoint, ...]
    others: int
    accepted: int = 0


def past(runs: Sequence[RunRecord], series: Series, *, metric: str, accepted: Iterable[AcceptedLevel] = ()) -> Past:
    """The metric in those of the runs that belong to the series; runs that stalled have nothing to compare.

    `accepted`: levels, in the order in which they were accepted: the last that is about the series counts.
    """
    points: list[TrendPoint] = []
    others = 0
    for found, run, kept in kept_metrics(runs, metric=metric):
        if found == series:
            if kept.mean > 0.0:
                points.append(point(run, kept))
        elif (found.storage_class, found.profile) == (series.storage_class, series.profile):
            others += 1
    dates = {run.run: run.date for run in runs}
    since = [dates[each.accepted] for each in accepted if each.accepted in dates and is_about(each, series)]
    older = [point for point in points if since and point.date < since[-1]]
    return Past(points=tuple(points), others=others, accepted=len(older))


def kept_metrics(runs: Iterable[RunRecord], *, metric: str) -> Iterator[tuple[Series, RunRecord, KeptMetric]]:
    """The metric of every class under test in each run, with the series that it belongs to."""
    for run in runs:
        for measurement in run.measurements:
            if measurement.role == "candidate" and metric in measurement.metrics:
                yield Series.of(run, measurement), run, measurement.metrics[metric]


def is_about(level: AcceptedLevel, series: Series) -> bool:
    """Whether a level was accepted for the series too."""
    return level.storage_class in (None, series.storage_class) and level.profile in (None, series.profile)


def point(run: RunRecord, metric: KeptMetric) -> TrendPoint:
    """A metric of the run as a point of a trend."""
    return TrendPoint(run=run.run, date=run.date, mean=metric.mean, low=metric.low, high=metric.high)


def record_of(results: Results, *, profiles: Mapping[str, str]) -> RunRecord:
    """What is kept of a run. `profiles`: their texts by name. Raises ValueError for results without a cluster."""
    if results.cluster is None:
        raise ValueError("wanted the results of a run that has reached its cluster, found none")
    settings = results.settings
    return RunRecord.model_validate(
        {
            "run": results.run.id,
            "date": results.run.started,
            "suite_version": results.run.suite_version,
            "exit_status": results.run.exit_status or 0,
            "cluster_kind": results.cluster.kind,
            "cluster": results.cluster.identity,
            "baseline_class": settings["baseline_class"] or settings.get("compare_with"),
            "volume_size": settings["volume_size"],
            "test_size": settings["test_size"],
            "volume_mode": settings["volume_mode"],
            "measurements": [
                _kept(measurement, text=profiles[measurement.profile]) for measurement in results.measurements
            ],
        }
    )


def _kept(measurement: Measurement, *, text: str) -> KeptMeasurement:
    ratios = measurement.against_baseline
    return KeptMeasurement(
        profile=measurement.profile,
        profile_digest=sha256(text.encode()).hexdigest(),
        storage_class=measurement.storage_class,
        role=measurement.role,
        node=measurement.node,
        metrics={
            path: KeptMetric(
                mean=each.mean,
                low=each.low,
                high=each.high,
                unit=each.unit,
                of_baseline=ratios[path].ratio if path in ratios else None,
            )
            for path, each in measurement.metrics.items()
        },
    )
