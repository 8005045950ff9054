"""The fitness of a class for the workloads that it is to carry: a row for each, from verdicts that already exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.report.figures import shown_rule, shown_verdict_value
from acceptance.report.labels import NOT_JUDGED
from acceptance.results.completeness import classes_under_test
from acceptance.results.conditions import TierLimit, question_in_words
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.verdicts import worst
from acceptance.results.workloads import CarriedWorkload, Workload
from acceptance.wording.file_operations import OPERATIONS

_PROGRAMS: tuple[Workload, ...] = ("postgresql",)
"""The workloads that are also tested with the program itself."""
_PHRASES: dict[Status | None, str] = {
    "pass": "passes",
    "fail": "fails",
    "inconclusive": "is inconclusive",
    "skipped": "is not judged",
    None: "is not judged",
}


@dataclass(frozen=True, kw_only=True)
class WorkloadRow:
    """One workload on one class.

    `limits`: its limits, each with its verdict, in words. `status`: None if not all limits were judged, and none of
    those that were failed or remained undecided.
    """

    name: str
    about: str
    storage_class: str
    status: Status | None
    sentence: str
    profiles: list[str]
    limits: list[str]


def workload_rows(results: Results) -> list[WorkloadRow]:
    """Return the rows by class, in the order in which the workloads were requested; none without workloads."""
    conditions = results.tested_with
    if conditions is None:
        return []
    return [
        _row(
            workload,
            name,
            [limit for limit in conditions.limits if limit.profile in workload.profiles],
            results.verdicts,
        )
        for name in classes_under_test(results)
        for workload in conditions.workloads
    ]


def workload_sentences(results: Results) -> Iterator[str]:
    """Return `for postgresql: local-path passes (3 of 3 limits)`, one for each workload and class."""
    return (workload_row.sentence for workload_row in workload_rows(results))


def _row(
    workload: CarriedWorkload, storage_class: str, limits: Sequence[TierLimit], verdicts: Sequence[Verdict]
) -> WorkloadRow:
    own = {
        question: verdict
        for verdict in verdicts
        if verdict.storage_class == storage_class and verdict.subject == "workloads"
        for question in (verdict.requirement.question, question_in_words(verdict.profile, verdict.limit))
    }
    pairs = [(limit, own.get(limit.question)) for limit in limits]
    judged_verdicts = [verdict for _, verdict in pairs if verdict is not None and verdict.status != "skipped"]
    program_verdicts = [
        verdict for verdict in verdicts if verdict.storage_class == storage_class and _is_of_program(verdict, workload)
    ]
    operation_verdicts = [
        verdict
        for verdict in verdicts
        if verdict.storage_class == storage_class and verdict.profile == workload.name and verdict.rule == OPERATIONS
    ]
    further_verdicts = [*program_verdicts, *operation_verdicts]
    status = worst([*judged_verdicts, *(verdict for verdict in further_verdicts if verdict.status != "skipped")])
    if status == "pass" and len(judged_verdicts) < len(limits):
        status = None
    passes = sum(verdict.status == "pass" for verdict in judged_verdicts)
    return WorkloadRow(
        name=workload.name,
        about=workload.about,
        storage_class=storage_class,
        status=status,
        sentence=f"for {workload.name}: {storage_class} {_PHRASES[status]} ({passes} of {len(limits)} limits pass"
        f"{''.join(f'; {workload.name} itself: {verdict.status}' for verdict in program_verdicts)}"
        f"{''.join(f'; file operations: {verdict.status}' for verdict in operation_verdicts)})",
        profiles=workload.profiles,
        limits=[
            *(_limit_in_words(limit, verdict) for limit, verdict in pairs),
            *(f"{workload.name} itself, killed under load: {verdict.status}" for verdict in program_verdicts),
            *(f"file operations, {', '.join(workload.operations)}: {verdict.status}" for verdict in operation_verdicts),
        ],
    )


def _is_of_program(verdict: Verdict, workload: CarriedWorkload) -> bool:
    """Return whether the verdict is on the program itself, also if its test could not begin or was skipped.

    No load stands for the program.
    """
    return workload.name in _PROGRAMS and verdict.subject == "workloads" and verdict.profile is None


def _limit_in_words(limit: TierLimit, verdict: Verdict | None) -> str:
    """Return `postgresql-commit: write.iops at least 500 IOPS (fail, 120 IOPS)`."""
    if verdict is None:
        return f"{limit.profile}: {limit.limit} ({NOT_JUDGED})"
    figure = f", {shown_verdict_value(verdict)}" if verdict.measured is not None else ""
    status = NOT_JUDGED if verdict.status == "skipped" else verdict.status
    return f"{limit.profile}: {shown_rule(verdict)} ({status}{figure})"
