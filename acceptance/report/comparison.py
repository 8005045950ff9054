"""Candidate and baseline side by side, a row for each profile and its main metric, as kbench compares volumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.report.labels import limited_metrics
from acceptance.report.rows import Row, rows_of
from acceptance.report.subjects import TITLES, chapters_of, kbench_subject
from acceptance.results.document import Measurement, Results, Verdict

# The chapters of the report, in its order; profiles with a title from their tests come last.
_GROUPS = ("synchronous-writes", "iops", "bandwidth", "latency", "further-profiles", "workloads")
# The metric of a profile, by the end of its name.
_ABOUT = {"iops": "iops", "bandwidth": "bandwidth", "latency": "latency.mean"}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All rows of one candidate class, by title. `baseline` is the class next to it, if there is one."""

    candidate: str
    baseline: str | None
    groups: dict[str, list[Row]]


def comparisons(results: Results) -> list[Comparison]:
    """Return one comparison for each candidate class, in the order in which they were measured."""
    by_id = {measurement.id: measurement for measurement in results.measurements}
    by_class: dict[str, list[Measurement]] = {}
    for measurement in results.measurements:
        if measurement.role == "candidate":
            by_class.setdefault(measurement.storage_class, []).append(measurement)
    return [
        Comparison(
            candidate=name,
            baseline=next(
                (by_id[candidate.compared_with].storage_class for candidate in candidates if candidate.compared_with),
                None,
            ),
            groups=_groups(candidates, by_id, results),
        )
        for name, candidates in by_class.items()
    ]


def _groups(candidates: Sequence[Measurement], by_id: dict[str, Measurement], results: Results) -> dict[str, list[Row]]:
    chapters, tier_metrics = chapters_of(results), limited_metrics(results)
    # Verdicts on one volume; many volumes have a table of their own.
    verdicts = [verdict for verdict in results.verdicts if verdict.subject != "many-volumes"]
    groups: dict[str, list[Row]] = {TITLES[group]: [] for group in _GROUPS}
    for candidate in sorted(
        candidates, key=lambda candidate: candidate.profile if kbench_subject(candidate.profile) else ""
    ):
        own = [
            verdict
            for verdict in verdicts
            if (verdict.storage_class, verdict.profile) == (candidate.storage_class, candidate.profile)
        ]
        baseline = by_id[candidate.compared_with] if candidate.compared_with else None
        rows = rows_of(_shown_metrics(candidate, own), candidate, baseline, own, tier_metrics=tier_metrics)
        groups.setdefault(chapters.titles[chapters.of_measurement(candidate)], []).extend(rows)
    return {title: rows for title, rows in groups.items() if rows}


def _shown_metrics(measurement: Measurement, verdicts: Sequence[Verdict]) -> list[str]:
    """Return the main metrics, and all others that did not pass."""
    bad = [
        verdict.metric
        for verdict in verdicts
        if verdict.status in ("fail", "inconclusive") and verdict.metric is not None
    ]
    available = [metric for metric in bad if metric in measurement.metrics]
    return list(dict.fromkeys([*main_metrics(measurement, verdicts), *available]))


def main_metrics(measurement: Measurement, verdicts: Sequence[Verdict]) -> list[str]:
    """Return the metrics that the profile's name states; else those with a limit; else its IOPS."""
    directions = [direction for direction in ("read", "write") if f"{direction}.iops" in measurement.metrics]
    about = _ABOUT.get(measurement.profile.rpartition("-")[2], "")
    name_metrics = [f"{direction}.{about}" for direction in directions]
    limit_metrics = [
        verdict.metric for verdict in verdicts if verdict.rule in ("at_least", "at_most") and verdict.metric
    ]
    for metrics in (name_metrics, list(dict.fromkeys(limit_metrics))):
        if available := [metric for metric in metrics if metric in measurement.metrics]:
            return available
    return [f"{direction}.iops" for direction in directions]
