"""Whether a class is fit for the workloads that it is to carry: one row each, of verdicts that were made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.report.figures import shown_measured, shown_rule
from acceptance.results.completeness import classes_under_test
from acceptance.results.conditions import TierLimit, worded
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.verdicts import worst
from acceptance.results.workloads import CarriedWorkload, Workload

_PROGRAMS: tuple[Workload, ...] = ("postgresql",)
"""the workloads that are tried with the program itself, too"""
_SAID: dict[Status | None, str] = {
    "pass": "passes",
    "fail": "fails",
    "inconclusive": "is inconclusive",
    "skipped": "is not judged",
    None: "is not judged",
}


@dataclass(frozen=True, kw_only=True)
class WorkloadRow:
    """One workload on one class. `limits`: what it asks for, each with what was found, in words.

    `status`: None where not all limits were judged, and none of those that were failed or was left open.
    """

    name: str
    about: str
    storage_class: str
    status: Status | None
    sentence: str
    profiles: list[str]
    limits: list[str]


def workload_rows(results: Results) -> list[WorkloadRow]:
    """By class, in the order in which the workloads were asked for; none where none was."""
    known = results.tested_with
    if known is None:
        return []
    return [
        _row(workload, name, [limit for limit in known.limits if limit.profile in workload.profiles], results.verdicts)
        for name in classes_under_test(results)
        for workload in known.workloads
    ]


def workload_sentences(results: Results) -> Iterator[str]:
    """`for postgresql: local-path passes (3 of 3 limits)`, one a workload and class."""
    return (workload_row.sentence for workload_row in workload_rows(results))


def _row(
    workload: CarriedWorkload, storage_class: str, asked: Sequence[TierLimit], verdicts: Sequence[Verdict]
) -> WorkloadRow:
    own = {
        question: each
        for each in verdicts
        if each.storage_class == storage_class and each.subject == "workloads"
        for question in (each.requirement.question, worded(each.profile, each.limit))
    }
    found = [(limit, own.get(limit.question)) for limit in asked]
    judged = [each for _, each in found if each is not None and each.status != "skipped"]
    itself = [each for each in verdicts if each.storage_class == storage_class and _is_of_program(each, workload)]
    status = worst([*judged, *(each for each in itself if each.status != "skipped")])
    if status == "pass" and len(judged) < len(asked):
        status = None
    passed = sum(each.status == "pass" for each in judged)
    return WorkloadRow(
        name=workload.name,
        about=workload.about,
        storage_class=storage_class,
        status=status,
        sentence=f"for {workload.name}: {storage_class} {_SAID[status]} ({passed} of {len(asked)} limits pass"
        f"{''.join(f'; {workload.name} itself: {_found(each)}' for each in itself)})",
        profiles=workload.profiles,
        limits=[
            *(_told(limit, verdict) for limit, verdict in found),
            *(f"{workload.name} itself, killed under load: {_found(each)}" for each in itself),
        ],
    )


def _is_of_program(verdict: Verdict, workload: CarriedWorkload) -> bool:
    """Whether it is on the program itself, which no load stands for, also where it could not begin or was skipped."""
    return workload.name in _PROGRAMS and verdict.subject == "workloads" and verdict.profile is None


def _found(verdict: Verdict) -> str:
    return "not judged" if verdict.status == "skipped" else verdict.status


def _told(limit: TierLimit, verdict: Verdict | None) -> str:
    """`postgresql-commit: write.iops at least 500 IOPS: fail, 120 IOPS`"""
    if verdict is None:
        return f"{limit.profile}: {limit.limit}: not judged"
    measured = f", {shown_measured(verdict)}" if verdict.measured is not None else ""
    return f"{limit.profile}: {shown_rule(verdict)}: {_found(verdict)}{measured}"
