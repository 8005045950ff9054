"""Series of comparable runs: the same load on the same class of the same cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from acceptance.results.access_modes import access_mode_in
from acceptance.results.document import Measurement, Results
from acceptance.results.history import AcceptedLevel, KeptMeasurement, KeptMetric, RunRecord, TrendPoint
from acceptance.results.load_digests import load_digest


@dataclass(frozen=True, kw_only=True)
class Series:
    """The properties that runs must have in common so that their figures are one series."""

    cluster: str
    baseline_class: str | None
    volume_size: int
    test_size: int
    volume_mode: str
    access_mode: str
    storage_class: str
    profile: str
    profile_digest: str

    @classmethod
    def of(cls, run: RunRecord, measurement: KeptMeasurement) -> Series:
        """Return the series that a measurement of the run belongs to."""
        return cls(
            cluster=run.cluster,
            baseline_class=run.baseline_class,
            volume_size=run.volume_size,
            test_size=run.test_size,
            volume_mode=run.volume_mode,
            access_mode=run.access_mode,
            storage_class=measurement.storage_class,
            profile=measurement.profile,
            profile_digest=measurement.profile_digest,
        )


@dataclass(frozen=True, kw_only=True)
class Past:
    """A metric in the comparable runs, oldest first. `incomparable_runs`: how many of the class and profile are not.

    `accepted_from`: the index of the first run of the accepted level; 0 if no level was accepted.
    """

    points: tuple[TrendPoint, ...]
    incomparable_runs: int
    accepted_from: int = 0


def past(runs: Sequence[RunRecord], series: Series, *, metric: str, levels: Iterable[AcceptedLevel] = ()) -> Past:
    """Return the metric in the runs that belong to the series, without runs that stalled.

    `levels`: accepted levels, in the order of their acceptance; the last one that is about the series counts.
    """
    points: list[TrendPoint] = []
    incomparable_runs = 0
    for run_series, run, kept_metric in kept_metrics(runs, metric=metric):
        if run_series == series:
            if kept_metric.mean > 0.0:
                points.append(point(run, kept_metric))
        elif (run_series.storage_class, run_series.profile) == (series.storage_class, series.profile):
            incomparable_runs += 1
    dates = {run.run: run.date for run in runs}
    since = [dates[level.accepted] for level in levels if level.accepted in dates and is_about(level, series)]
    older = [point for point in points if since and point.date < since[-1]]
    return Past(points=tuple(points), incomparable_runs=incomparable_runs, accepted_from=len(older))


def kept_metrics(runs: Iterable[RunRecord], *, metric: str) -> Iterator[tuple[Series, RunRecord, KeptMetric]]:
    """Yield the metric of every class under test in each run, with the series that it belongs to."""
    for run in runs:
        for measurement in run.measurements:
            if measurement.role == "candidate" and metric in measurement.metrics:
                yield Series.of(run, measurement), run, measurement.metrics[metric]


def is_about(level: AcceptedLevel, series: Series) -> bool:
    """Return whether a level was accepted for the series too."""
    return level.storage_class in (None, series.storage_class) and level.profile in (None, series.profile)


def point(run: RunRecord, metric: KeptMetric) -> TrendPoint:
    """Return a metric of the run as a point of a trend."""
    return TrendPoint(run=run.run, date=run.date, mean=metric.mean, low=metric.low, high=metric.high)


def record_of(results: Results, *, profiles: Mapping[str, str]) -> RunRecord:
    """Return the history record of a run. `profiles`: their texts by name. Raises ValueError if there is no cluster."""
    if results.cluster is None:
        raise ValueError("expected the results of a run that has reached its cluster, found none")
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
            "access_mode": access_mode_in(settings),
            "measurements": [
                _condense(measurement, text=profiles[measurement.profile]) for measurement in results.measurements
            ],
        }
    )


def _condense(measurement: Measurement, *, text: str) -> KeptMeasurement:
    ratios = measurement.against_baseline
    return KeptMeasurement(
        profile=measurement.profile,
        profile_digest=load_digest(text),
        storage_class=measurement.storage_class,
        role=measurement.role,
        node=measurement.node,
        metrics={
            path: KeptMetric(
                mean=estimate.mean,
                low=estimate.low,
                high=estimate.high,
                unit=estimate.unit,
                of_baseline=ratios[path].ratio if path in ratios else None,
            )
            for path, estimate in measurement.metrics.items()
        },
    )
