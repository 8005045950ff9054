"""The speed of one volume: both classes, the change with its interval, limits, verdicts and pictures, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acceptance.report.comparison import main_metrics
from acceptance.report.labels import LimitedMetrics, limited_metrics
from acceptance.report.picture import Picture
from acceptance.report.pictures import in_bytes, latency_curve, rates_over_time
from acceptance.report.rows import Row, rows_of
from acceptance.report.subjects import Chapters, chapters_of, kbench_subject
from acceptance.results.bounds import bounds_of
from acceptance.results.document import Measurement, Results, Verdict
from acceptance.results.verdicts import OF_ONE_VOLUME, worst


@dataclass(frozen=True, kw_only=True)
class ProfilePictures:
    """The pictures of one profile. `explains`: they are shown without a click."""

    profile: str
    explains: bool
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, kw_only=True)
class SpeedTable:
    """One class in one subject; `baseline` is the class next to it, if there is one."""

    candidate: str
    baseline: str | None
    rows: list[Row]
    profile_pictures: list[ProfilePictures]


def speed_tables(results: Results) -> dict[str, list[SpeedTable]]:
    """Return the tables of each chapter, one for each candidate class, in the order in which they were measured."""
    by_id, chapters = {measurement.id: measurement for measurement in results.measurements}, chapters_of(results)
    by_chapter: dict[str, dict[str, list[Measurement]]] = {}
    for measurement in sorted(
        results.measurements, key=lambda measurement: measurement.profile if kbench_subject(measurement.profile) else ""
    ):
        if measurement.role == "candidate":
            classes = by_chapter.setdefault(chapters.of_measurement(measurement), {})
            classes.setdefault(measurement.storage_class, []).append(measurement)
    tier_metrics = limited_metrics(results)
    return {
        chapter: [
            _table(own, by_id, _verdicts(results, chapter, chapters), chapter=chapter, tier_metrics=tier_metrics)
            for own in classes.values()
        ]
        for chapter, classes in by_chapter.items()
    }


def _verdicts(results: Results, chapter: str, chapters: Chapters) -> list[Verdict]:
    """Return the verdicts of the chapter that depend on its figures."""
    return [
        verdict for verdict in results.verdicts if verdict.subject in OF_ONE_VOLUME and chapters.of(verdict) == chapter
    ]


def _table(
    candidates: Sequence[Measurement],
    by_id: dict[str, Measurement],
    own: Sequence[Verdict],
    *,
    chapter: str,
    tier_metrics: LimitedMetrics,
) -> SpeedTable:
    pairs = [
        (candidate, by_id.get(candidate.compared_with) if candidate.compared_with else None) for candidate in candidates
    ]
    return SpeedTable(
        candidate=candidates[0].storage_class,
        baseline=next((baseline.storage_class for _, baseline in pairs if baseline), None),
        rows=[
            row
            for candidate, baseline in pairs
            for row in _rows(candidate, baseline, _of(candidate, own), tier_metrics)
        ],
        profile_pictures=[
            _pictures_of(candidate, baseline, _of(candidate, own), chapter=chapter) for candidate, baseline in pairs
        ],
    )


def _of(candidate: Measurement, verdicts: Iterable[Verdict]) -> list[Verdict]:
    about = (candidate.storage_class, candidate.profile)
    return [verdict for verdict in verdicts if (verdict.storage_class, verdict.profile) == about]


def _rows(
    candidate: Measurement, baseline: Measurement | None, verdicts: Sequence[Verdict], tier_metrics: LimitedMetrics
) -> list[Row]:
    """Return rows for the main metrics of the profile, and for all others that were judged."""
    judged_metrics = [verdict.metric for verdict in verdicts if verdict.metric in candidate.metrics]
    metrics = dict.fromkeys([*main_metrics(candidate, verdicts), *filter(None, judged_metrics)])
    return rows_of(metrics, candidate, baseline, verdicts, tier_metrics=tier_metrics)


def _pictures_of(
    candidate: Measurement, baseline: Measurement | None, verdicts: Sequence[Verdict], *, chapter: str
) -> ProfilePictures:
    """Return the pictures of the chapter's subject.

    If the profile did not pass, or if the chapter has no single subject, these are all pictures.
    """
    explains = worst(verdicts) in ("fail", "inconclusive") or chapter == "synchronous-writes"
    whole = explains or chapter not in ("iops", "bandwidth", "latency")
    of_bytes = any(main_metric.endswith(".bandwidth") for main_metric in main_metrics(candidate, verdicts))
    measurement, reference = candidate, baseline
    if of_bytes:
        measurement, reference = in_bytes(candidate), None if baseline is None else in_bytes(baseline)
    pictures = [
        rates_over_time(measurement, reference, limits=bounds_of(verdicts)) if whole or chapter != "latency" else None,
        latency_curve(candidate, baseline, limits=bounds_of(verdicts)) if whole or chapter == "latency" else None,
    ]
    return ProfilePictures(
        profile=candidate.profile, explains=explains, pictures=tuple(picture for picture in pictures if picture)
    )
