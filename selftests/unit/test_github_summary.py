"""The summary of a GitHub job: what failed comes first, no text of a cluster is live, and it is never too long."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.report.github_summary import LARGEST, append_summary, escape, markdown
from acceptance.results.document import RelativeEstimate, Results
from selftests.unit.compared_runs import judged, measured, run_of

JOINER = "\u2060"


def failing() -> Results:
    paired = {"write.iops": RelativeEstimate(ratio=0.25, low=0.2, high=0.3, confidence=0.95)}
    pair = [
        measured({"write.iops": 1000.0}, beside="local", against=paired),
        measured({"write.iops": 4000.0}, storage_class="local", role="baseline"),
    ]
    verdicts = [judged("pass"), judged("inconclusive", metric="cpu.use"), judged("fail", metric="stall.longest")]
    return run_of(*pair, verdicts=verdicts, errors=["a volume is left"]).model_copy(update={"overall": "fail"})


def test_the_verdict_comes_first_then_what_failed_then_what_is_open() -> None:
    lines = markdown(failing()).splitlines()
    assert lines[0] == "## Storage acceptance: ❌ fail"
    assert lines[2] == "**fast fails tier baseline: 1 of 3 limits and rules fail.**"
    rows = [line for line in lines if line.startswith(("| ❌", "| ❔"))]
    assert [row.split(" | ")[2] for row in rows] == ["sync-write-iops stall.longest", "sync-write-iops cpu.use"]
    assert rows[0].endswith("because fail |")
    assert "- **Error:** a volume is left" in lines
    assert lines[4].startswith("1 passed, 1 failed, 1 inconclusive, 0 skipped; 3 of 3 limits")


def test_the_comparison_is_a_table_of_its_own() -> None:
    text = markdown(failing())
    assert "\n| Synchronous writes | fast | local | change | verdict |\n|---|---:|---:|---:|---|\n" in text
    assert "| sync-write-iops write.iops | 1,000 IOPS | 4,000 IOPS | 4x slower | ✅ pass |" in text


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "`code`",
        "<img src=x onerror=alert(1)>",
        "[here](http://example.com)",
        "![](http://example.com/x.png)",
        "**bold** _it_ ~~no~~",
        "$x^2$",
        "back\\slash",
        "&lt;b&gt;",
        "# head",
    ],
)
def test_nothing_that_markdown_or_html_reads_is_left(text: str) -> None:
    written = escape(text)
    assert not re.search(r"[\\`*_{}\[\]<>!|~^$]|&(?!#\d+;)|(?<!&)#", written)
    assert html.unescape(written).replace(JOINER, "") == text


@pytest.mark.parametrize("text", ["@octocat", "me@example.com", "#12", "http://example.com", "www.example.com"])
def test_what_github_makes_a_link_of_is_kept_apart_also_when_it_is_resolved(text: str) -> None:
    resolved = html.unescape(escape(text))
    assert not re.search(r"@\w|#\d|://|www\.", resolved)
    assert resolved.replace(JOINER, "") == text


@given(text=st.text(max_size=200))
def test_a_text_is_one_cell_of_a_table_whatever_it_is(text: str) -> None:
    verdict = judged("fail", reason=text or "x")
    rows = [line for line in markdown(run_of(verdicts=[verdict])).split("\n") if line.startswith("| ❌")]
    assert len(rows) == 1
    assert rows[0].count("|") == 6


def test_a_summary_is_never_larger_than_github_takes() -> None:
    many = run_of(verdicts=[judged("fail", metric="x" * 500, reason="ü|" * 5000) for _ in range(3000)])
    text = markdown(many)
    assert len(text.encode()) < LARGEST
    assert text.startswith("## Storage acceptance") and "More is in the report" in text
    assert len(markdown(many, room=1000).encode()) <= 1000
    assert markdown(many, room=10) == ""


def test_it_comes_behind_what_other_steps_wrote(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    append_summary(str(path), failing())
    assert path.read_text() == "before\n" + markdown(failing())
    path.write_bytes(b"x" * LARGEST)
    append_summary(str(path), failing())
    assert path.stat().st_size == LARGEST


def test_a_run_that_found_nothing_says_so() -> None:
    nothing = run_of(complete=False).model_copy(update={"overall": "inconclusive"})
    lines = markdown(nothing).splitlines()
    assert lines[0] == "## Storage acceptance: ❔ inconclusive"
    assert "the run is not complete" in lines[2]
