"""Control operations in the report: one table, two pictures, what is missing and what failed, nothing unescaped."""

from __future__ import annotations

from datetime import UTC, datetime

from acceptance.report.parts import above
from acceptance.report.pictures import operations_over_time
from acceptance.report.records.operations import operation_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results, Run
from acceptance.results.operations import OperationsRecord
from selftests.unit.operation_records import record, times
from selftests.unit.read_parts import sentences_of, tables_of


def results(*records: OperationsRecord) -> Results:
    started = datetime(2026, 11, 24, tzinfo=UTC)
    run = Run(id="r", started=started, finished=None, complete=False, suite_version="1", exit_status=None)
    return Results(
        run=run,
        cluster=None,
        settings={},
        measurements=[],
        steps=[],
        operations=list(records),
        verdicts=[],
        errors=[],
        overall="inconclusive",
    )


FOUND = record(times([1.0, 2.0], failed={"ProvisioningFailed": 1}), missing={"clone": "no clones here"})


def test_a_section_says_what_was_asked_what_is_missing_and_what_failed() -> None:
    (section,) = operation_parts(results(FOUND))
    ((row,),) = tables_of(section)
    assert (row["Until"], row["Requested"], row["Per second"], row["Failed"]) == (
        "PVC bound",
        "3",
        "4",
        "1 ProvisioningFailed",
    )
    assert (row["p50"], row["p99"]) == (above("1 s", "500 ms to unknown"), above("", ""))
    assert sentences_of(section)[0].startswith("20 of each operation at the same time, in 5 rounds; ")
    assert "Not timed: clone bound: no clones here." in sentences_of(section)
    assert "operations-1-2: not PVC bound: No: <i>" in sentences_of(section)


def test_the_page_has_it_in_the_chapter_of_the_control_plane_and_escapes_it() -> None:
    page = render_summary(results(FOUND))
    assert (
        '<section id="control-plane">' in page and "Concurrent control operations on <bdi>fast&lt;b&gt;</bdi>" in page
    )
    assert "<i>" not in page and "fast<b>" not in page


def test_pictures_show_how_volumes_came_and_went() -> None:
    coming, going = (operations_over_time(FOUND, part=each) for each in ("coming", "going"))
    assert coming is not None and going is not None
    assert coming.text == "requested: 2 within 0.1 s, bound: 1 within 1.0 s, ready: 1 within 4.0 s."
    assert going.text == "deletion requested: 1 within 0.0 s, deleted: 1 within 2.0 s."
    assert operations_over_time(record(objects=[]), part="coming") is None
