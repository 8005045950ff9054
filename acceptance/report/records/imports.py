"""The results of other tools, for the report: file by file, next to the tests of this suite. Nothing is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from acceptance.report.e2e_coverage import CoverageRow, coverage_rows
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.results.document import Results, Status
from acceptance.results.imports import TOOLS, ImportedBehaviour, ImportRecord


@dataclass(frozen=True, kw_only=True)
class SuiteRow:
    """One suite of the other tool.

    `behaviours`: those that ran, the failed first, each with its counts.
    """

    suite: str
    status: Status
    word: str
    passed_count: int
    failed_count: int
    skipped_count: int
    behaviours: list[tuple[Status, str, str]]


@dataclass(frozen=True, kw_only=True)
class ImportedFile:
    """One file. `suites` are those in which a test ran, `skipped_suites` the others."""

    record: ImportRecord
    by: str
    date: str
    status: Status
    suites: list[SuiteRow]
    skipped_suites: list[str]


@dataclass(frozen=True, kw_only=True)
class ImportSections:
    """The chapter. `coverage` is empty if no file of the Kubernetes e2e was imported."""

    files: list[ImportedFile]
    coverage: list[CoverageRow]


def import_sections(results: Results) -> ImportSections:
    """Return all imported files, in the order in which they were given."""
    of_e2e = any(record.tool == "kubernetes-e2e" for record in results.imports)
    return ImportSections(
        files=[_file(record) for record in results.imports], coverage=coverage_rows(results) if of_e2e else []
    )


def imported_failures(results: Results) -> list[str]:
    """Return a sentence for each file with failures or doubts, for the first screen."""
    return [
        f"{record.name}: {record.failed} failed of {record.passed + record.failed} tests that ran" if record.failed
        else f"{record.name}: {'; '.join(record.doubts)}"
        for record in results.imports
        if record.failed or record.doubts
    ]  # fmt: skip


def _file(record: ImportRecord) -> ImportedFile:
    rows = [
        _row(suite, list(behaviours))
        for suite, behaviours in groupby(_by_suite(record.behaviours), lambda behaviour: behaviour.suite)
    ]
    where = "according to the file" if record.made_from == "timestamp" else "when the file was last modified"
    ran = [row for row in rows if row.passed_count + row.failed_count]
    return ImportedFile(
        record=record,
        by=TOOLS[record.tool],
        date=f"{record.made}, {where}",
        status="fail" if record.failed else "pass" if record.passed and not record.doubts else "inconclusive",
        suites=sorted(ran, key=lambda row: row.failed_count == 0),
        skipped_suites=[row.suite for row in rows if row not in ran],
    )


def _by_suite(behaviours: Iterable[ImportedBehaviour]) -> list[ImportedBehaviour]:
    """Return the behaviours suite by suite, the suites in the order in which they first appear."""
    places: dict[str, int] = {}
    for behaviour in behaviours:
        places.setdefault(behaviour.suite, len(places))
    return sorted(behaviours, key=lambda behaviour: places[behaviour.suite])


def _row(suite: str, behaviours: list[ImportedBehaviour]) -> SuiteRow:
    passed_count, failed_count = (
        sum(behaviour.passed for behaviour in behaviours),
        sum(behaviour.failed for behaviour in behaviours),
    )
    ran = sorted((behaviour for behaviour in behaviours if behaviour.ran), key=lambda behaviour: behaviour.failed == 0)
    return SuiteRow(
        suite=suite,
        status="fail" if failed_count else "pass",
        word="failed elsewhere" if failed_count else "passed elsewhere",
        passed_count=passed_count,
        failed_count=failed_count,
        skipped_count=sum(behaviour.skipped for behaviour in behaviours),
        behaviours=[
            ("fail" if behaviour.failed else "pass", behaviour.behaviour, _counts(behaviour)) for behaviour in ran
        ],
    )


def _counts(behaviour: ImportedBehaviour) -> str:
    """Return `3 of 4 failed`; `failed` or `passed` if the behavior ran once."""
    total = behaviour.passed + behaviour.failed
    if total == 1:
        return "failed" if behaviour.failed else "passed"
    return f"all {total} passed" if not behaviour.failed else f"{behaviour.failed} of {total} failed"


def _counts_by_status(record: ImportRecord) -> LabeledValues:
    for status, count in (("passed", record.passed), ("failed", record.failed), ("skipped", record.skipped)):
        yield count, {"import": record.name, "tool": record.tool, "status": status}


declare_gauges(
    "imports",
    Gauge(
        name="imported_tests",
        help="number of tests that another tool ran, according to its file",
        labels=("import", "tool", "status"),
        samples=_counts_by_status,
    ),
)
