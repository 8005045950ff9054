"""The report's table of what volumes can do."""

from __future__ import annotations

import pytest

from acceptance.report.records.capabilities import capability_parts
from acceptance.report.summary import render_summary
from acceptance.results.features import CapabilityRecord, CapabilityStatus
from selftests.unit.read_parts import tables_of
from selftests.unit.test_report_rebuilds import results


@pytest.mark.parametrize(
    ("status", "colour", "word"),
    [
        ("seen", "pass", "seen"),
        ("missing", "skipped", "missing"),
        ("failed", "fail", "failed"),
        ("not_tried", "inconclusive", "not known"),
    ],
)
def test_each_status_has_its_word_and_colour(status: CapabilityStatus, colour: str, word: str) -> None:
    record = CapabilityRecord(storage_class="fast", capability="clone", status=status, how="<b>so</b>")
    found = results().model_copy(update={"capabilities": [record]})
    ((row,),) = tables_of(*capability_parts(found))
    assert (row["StorageClass"], row["Capability"]) == ("<bdi>fast</bdi>", "Volumes are cloned")
    html = render_summary(found)
    assert f'<span class="status status-{colour}">{word}</span>' in html
    assert "<b>so</b>" not in html and "&lt;b&gt;so" in html


def test_without_any_there_is_no_table() -> None:
    assert "Capabilities of volumes" not in render_summary(results())
