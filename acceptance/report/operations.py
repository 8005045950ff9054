"""Control operations for the report: how long each took, what failed, how they came. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.report.picture import Picture
from acceptance.report.pictures import operations_over_time
from acceptance.results.document import Results
from acceptance.results.operations import TITLES, OperationRecord, OperationsRecord, PercentileTime
from acceptance.text.quantities import format_quantity
from acceptance.wording.operations import by_reason

SHOWN = ("p50", "p95", "p99")


@dataclass(frozen=True, kw_only=True)
class OperationRow:
    """One operation: how many, its percentiles with their intervals, how many a second, what failed."""

    name: str
    count: str
    times: list[tuple[str, str]]
    rate: str
    failed: str


@dataclass(frozen=True, kw_only=True)
class OperationsSection:
    """The control operations of one class."""

    storage_class: str
    sentences: list[str]
    confidence: str
    rows: list[OperationRow]
    pictures: list[Picture]


def operation_sections(results: Results) -> list[OperationsSection]:
    """One section for each class, in the order in which they were asked."""
    return [_section(record) for record in results.operations]


def _section(record: OperationsRecord) -> OperationsSection:
    pictures = (operations_over_time(record, part=each) for each in ("coming", "going"))
    return OperationsSection(
        storage_class=record.storage_class,
        sentences=list(_sentences(record)),
        confidence=f"{100 * record.operations[0].confidence:.4g} %" if record.operations else "",
        rows=[_row(each) for each in record.operations],
        pictures=[each for each in pictures if each],
    )


def _row(record: OperationRecord) -> OperationRow:
    return OperationRow(
        name=TITLES[record.operation],
        count=str(record.asked),
        times=[_shown(record.percentiles.get(each)) for each in SHOWN],
        rate="" if record.per_s is None else f"{record.per_s:.3g}",
        failed=by_reason(record.failed) or "none",
    )


def _shown(found: PercentileTime | None) -> tuple[str, str]:
    """The time, and its interval."""
    if found is None:
        return "", ""
    return _time(found.seconds), f"{_time(found.low)} to {_time(found.high)}"


def _time(seconds: float | None) -> str:
    return "unknown" if seconds is None else format_quantity(seconds, unit="s")


def _sentences(record: OperationsRecord) -> Iterator[str]:
    rounds = "one round" if record.rounds == 1 else f"{record.rounds} rounds"
    timeout = format_quantity(record.timeout_s, unit="s")
    yield (
        f"{record.at_once} of each operation at once, in {rounds}; binding mode {record.binding_mode}. What was not "
        f"done within {timeout} failed."
    )
    for operation, why in record.missing.items():
        yield f"Not timed: {TITLES[operation]}: {why}."
    if late := sum(each.late for each in record.operations):
        yield f"{late} operations were seen late, since the connection was broken: their times do not count."
    for each in [one for one in record.objects if one.failed][:SHOWN_FAILURES]:
        for operation, why in each.failed.items():
            yield f"{each.name}: not {TITLES[operation]}: {why}"
    sent = ", ".join(f"{each}: {count}" for each, count in record.requests.items())
    yield f"The suite's own requests to the API server: {sent}."


SHOWN_FAILURES = 5
"""objects whose failure is told in the cluster's own words"""
