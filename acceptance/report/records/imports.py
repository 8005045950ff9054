"""What other tools found, for the report: file by file, and beside it what this suite asks. Nothing is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from acceptance.report.e2e_coverage import CoverageRow, coverage_rows
from acceptance.report.gauges import Found, Gauge, declare_gauges
from acceptance.results.document import Results, Status
from acceptance.results.imports import TOOLS, ImportedBehaviour, ImportRecord


@dataclass(frozen=True, kw_only=True)
class SuiteRow:
    """One suite of the other tool. `told`: its behaviours that ran, the failed first, each with its counts."""

    suite: str
    status: Status
    word: str
    passed: int
    failed: int
    skipped: int
    told: list[tuple[Status, str, str]]


@dataclass(frozen=True, kw_only=True)
class ImportedFile:
    """One file. `suites` are those in which something ran, `skipped_suites` the others."""

    record: ImportRecord
    by: str
    made: str
    status: Status
    suites: list[SuiteRow]
    skipped_suites: list[str]


@dataclass(frozen=True, kw_only=True)
class ImportSections:
    """The chapter. `coverage` is empty where nothing of the Kubernetes e2e was imported."""

    files: list[ImportedFile]
    coverage: list[CoverageRow]


def import_sections(results: Results) -> ImportSections:
    """All imported files, in the order in which they were given."""
    of_e2e = any(record.tool == "kubernetes-e2e" for record in results.imports)
    return ImportSections(
        files=[_file(record) for record in results.imports], coverage=coverage_rows(results) if of_e2e else []
    )


def imported_failures(results: Results) -> list[str]:
    """For the first screen: what failed there, or does not fit together, a sentence a file."""
    return [
        f"{record.name}: {record.failed} failed of {record.passed + record.failed} tests that ran" if record.failed
        else f"{record.name}: {'; '.join(record.doubts)}"
        for record in results.imports
        if record.failed or record.doubts
    ]  # fmt: skip


def _file(record: ImportRecord) -> ImportedFile:
    rows = [_row(suite, list(those)) for suite, those in groupby(_by_suite(record.behaviours), lambda each: each.suite)]
    where = "as the file says" if record.made_from == "timestamp" else "when the file was last changed"
    ran = [row for row in rows if row.passed + row.failed]
    return ImportedFile(
        record=record,
        by=TOOLS[record.tool],
        made=f"{record.made}, {where}",
        status="fail" if record.failed else "pass" if record.passed and not record.doubts else "inconclusive",
        suites=sorted(ran, key=lambda each: each.failed == 0),
        skipped_suites=[row.suite for row in rows if row not in ran],
    )


def _by_suite(behaviours: Iterable[ImportedBehaviour]) -> list[ImportedBehaviour]:
    """Those of a suite together, suites in the order in which they come first."""
    places: dict[str, int] = {}
    for behaviour in behaviours:
        places.setdefault(behaviour.suite, len(places))
    return sorted(behaviours, key=lambda behaviour: places[behaviour.suite])


def _row(suite: str, behaviours: list[ImportedBehaviour]) -> SuiteRow:
    passed, failed = (
        sum(behaviour.passed for behaviour in behaviours),
        sum(behaviour.failed for behaviour in behaviours),
    )
    ran = sorted((behaviour for behaviour in behaviours if behaviour.ran), key=lambda behaviour: behaviour.failed == 0)
    return SuiteRow(
        suite=suite,
        status="fail" if failed else "pass",
        word="failed there" if failed else "passed there",
        passed=passed,
        failed=failed,
        skipped=sum(behaviour.skipped for behaviour in behaviours),
        told=[("fail" if each.failed else "pass", each.behaviour, _counts(each)) for each in ran],
    )


def _counts(each: ImportedBehaviour) -> str:
    """`3 of 4 passed`; nothing for one that was run once."""
    total = each.passed + each.failed
    if total == 1:
        return "failed" if each.failed else "passed"
    return f"all {total} passed" if not each.failed else f"{each.failed} of {total} failed"


def _imported(record: ImportRecord) -> Found:
    for status, count in (("passed", record.passed), ("failed", record.failed), ("skipped", record.skipped)):
        yield count, {"import": record.name, "tool": record.tool, "status": status}


declare_gauges(
    "imports",
    Gauge(
        name="imported_tests",
        help="number of tests that another tool ran, as its file says",
        labels=("import", "tool", "status"),
        samples=_imported,
    ),
)
