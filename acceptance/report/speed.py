"""How fast one volume was: both classes, the change with its interval, limits, verdicts and pictures, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acceptance.report.comparison import main_metrics
from acceptance.report.picture import Picture
from acceptance.report.pictures import iops_over_time, latency_curve
from acceptance.report.rows import Row, rows_of
from acceptance.report.subjects import Subject, kbench_subject, subject_of, subject_of_profile
from acceptance.results.document import Measurement, Results, Verdict
from acceptance.results.verdicts import worst


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The pictures of one profile. `explains`: a reader wants to see them at once."""

    profile: str
    explains: bool
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, kw_only=True)
class SpeedTable:
    """One class in one subject; `baseline` is the class beside it, where there is one."""

    candidate: str
    baseline: str | None
    rows: list[Row]
    shown: list[Shown]


def speed_tables(results: Results) -> dict[Subject, list[SpeedTable]]:
    """The tables of each subject, one for each candidate class, in the order in which they were measured."""
    by_id = {each.id: each for each in results.measurements}
    found: dict[Subject, dict[str, list[Measurement]]] = {}
    for each in sorted(results.measurements, key=lambda each: each.profile if kbench_subject(each.profile) else ""):
        if each.role == "candidate":
            classes = found.setdefault(subject_of_profile(each.profile), {})
            classes.setdefault(each.storage_class, []).append(each)
    return {
        subject: [_table(own, by_id, results.verdicts, subject=subject) for own in classes.values()]
        for subject, classes in found.items()
    }


def _table(
    candidates: Sequence[Measurement],
    by_id: dict[str, Measurement],
    verdicts: Iterable[Verdict],
    *,
    subject: Subject,
) -> SpeedTable:
    own = [each for each in verdicts if subject_of(each) == subject]
    pairs = [(each, by_id.get(each.compared_with) if each.compared_with else None) for each in candidates]
    return SpeedTable(
        candidate=candidates[0].storage_class,
        baseline=next((baseline.storage_class for _, baseline in pairs if baseline), None),
        rows=[row for candidate, baseline in pairs for row in _rows(candidate, baseline, _of(candidate, own))],
        shown=[_shown(candidate, baseline, _of(candidate, own), subject=subject) for candidate, baseline in pairs],
    )


def _of(candidate: Measurement, verdicts: Iterable[Verdict]) -> list[Verdict]:
    about = (candidate.storage_class, candidate.profile)
    return [each for each in verdicts if (each.storage_class, each.profile) == about]


def _rows(candidate: Measurement, baseline: Measurement | None, verdicts: Sequence[Verdict]) -> list[Row]:
    """What the profile is about, and whatever else was judged of it."""
    judged = [each.metric for each in verdicts if each.metric in candidate.metrics]
    metrics = dict.fromkeys([*main_metrics(candidate, verdicts), *filter(None, judged)])
    return rows_of(metrics, candidate, baseline, verdicts)


def _shown(
    candidate: Measurement, baseline: Measurement | None, verdicts: Sequence[Verdict], *, subject: Subject
) -> Shown:
    """What the subject is about is drawn; of what did not pass, all."""
    explains = worst(verdicts) in ("fail", "inconclusive") or subject == "synchronous-writes"
    whole = explains or subject == "further-profiles"
    drawn = [
        iops_over_time(candidate, baseline) if whole or subject != "latency" else None,
        latency_curve(candidate, baseline) if whole or subject == "latency" else None,
    ]
    return Shown(profile=candidate.profile, explains=explains, pictures=tuple(each for each in drawn if each))
