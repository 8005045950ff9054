"""The tables of speed: rows, changes with their intervals, limits beside their verdicts, and where pictures are."""

from __future__ import annotations

import pytest

from acceptance.report.comparison import comparisons
from acceptance.report.github_summary import markdown
from acceptance.report.rows import Change, Row
from acceptance.report.speed import SpeedTable, speed_tables
from acceptance.report.summary import render_summary
from acceptance.report.terminal_table import terminal_table
from acceptance.results.document import RelativeEstimate, Results, Status
from selftests.unit.test_report_comparison import both, measurement, results, verdict

IOPS = {"write__iops": 100.0, "cpu__use": 0.5}


def table(found: Results, chapter: str = "synchronous-writes") -> SpeedTable:
    (only,) = speed_tables(found)[chapter]
    return only


def row(found: Results, metric: str = "write.iops", chapter: str = "synchronous-writes") -> Row:
    (only,) = [each for each in table(found, chapter).rows if each.metric == metric]
    return only


def test_each_limit_stands_beside_its_verdict_and_what_else_is_judged_has_a_row() -> None:
    own = [verdict("sync-write-iops", "write.iops", "pass"), verdict("sync-write-iops", "cpu.use", "fail")]
    found = results(both("sync-write-iops", IOPS, IOPS), *own)
    assert [(each.metric, [one.status for one in each.verdicts]) for each in table(found).rows] == [
        ("write.iops", ["pass"]),
        ("cpu.use", ["fail"]),
    ]
    html = render_summary(found)
    for shown in ("100 IOPS", "100 IOPS to 100 IOPS", "50 % of one CPU"):
        assert shown in html


def test_the_change_is_that_of_the_verdict_with_its_interval() -> None:
    judged = verdict("sync-write-iops", "write.iops", "fail", rule="not_better_than_baseline_by").model_copy(
        update={"measured": 2.5, "low": 2.25, "high": 3.0, "confidence": 0.99, "unit": "ratio"}
    )
    found = results(both("sync-write-iops", IOPS, IOPS), judged)
    assert row(found).change == Change(value=1.5, low=1.25, high=2.0, confidence=0.99)
    html = render_summary(found)
    assert "2.5x faster" in html and "2.2x to 3x (99% CI)" in html


def test_without_a_rule_the_change_is_of_the_pairs_that_were_measured() -> None:
    ours, theirs = both("sync-write-iops", IOPS, IOPS)
    paired = {"write.iops": RelativeEstimate(ratio=0.9, low=0.8, high=1.1, confidence=0.95)}
    found = results([ours.model_copy(update={"against_baseline": paired}), theirs])
    change = row(found).change
    assert change is not None and change.low is not None
    assert (round(change.value, 6), round(change.low, 6), change.confidence) == (-0.1, -0.2, 0.95)


def test_terminal_github_summary_and_report_show_the_change_of_the_verdict() -> None:
    """The means are 4.9 % apart, the pairs that were judged 5.5 %: a reader sees one figure everywhere."""
    judged = verdict("sync-write-iops", "write.iops", "pass", rule="not_better_than_baseline_by").model_copy(
        update={"measured": 1.055, "low": 1.01, "high": 1.1, "confidence": 0.99, "unit": "ratio"}
    )
    found = results(both("sync-write-iops", {"write__iops": 104.9}, IOPS), judged)
    (comparison,) = comparisons(found)
    for shown in (terminal_table(comparison, width=120, in_color=False), markdown(found), render_summary(found)):
        assert "5.5 %" in shown and "4.9 %" not in shown


def test_without_pairs_there_is_no_change() -> None:
    """The means are of two ways to load: the candidate's without a pause, the baseline's in turn."""
    ours, theirs = both("sync-write-iops", {"write__iops": 50.0}, {"write__iops": 200.0})
    found = results([ours.model_copy(update={"against_baseline": {}}), theirs])
    assert row(found).change is None


def test_a_change_that_may_be_none_is_called_noise() -> None:
    ours, theirs = both("sync-write-iops", IOPS, IOPS)
    paired = {"write.iops": RelativeEstimate(ratio=1.1, low=0.9, high=1.3, confidence=0.95)}
    found = results([ours.model_copy(update={"against_baseline": paired}), theirs])
    (comparison,) = comparisons(found)
    for shown in (terminal_table(comparison, width=120, in_color=False), markdown(found)):
        assert " noise " in shown and "+10.0 %" not in shown
    assert "10 % faster" in render_summary(found)


@pytest.mark.parametrize("theirs", [{"write__iops": 0.0}, {"read__iops": 1.0}])
def test_a_baseline_that_stood_still_or_lacks_the_metric_gives_no_change(theirs: dict[str, float]) -> None:
    found = results(both("sync-write-iops", {"write__iops": 100.0}, theirs))
    assert row(found).change is None
    assert "inf" not in render_summary(found)


def test_without_a_baseline_there_are_no_columns_for_it() -> None:
    html = render_summary(results([measurement("sync-write-iops", write__iops=100.0)]))
    assert "No baseline class was measured" in html and ">Change</th>" not in html
    assert table(results([measurement("sync-write-iops", write__iops=100.0)])).baseline is None


def test_each_class_has_a_table_of_its_own() -> None:
    measured = [measurement("sync-write-iops", name, write__iops=1.0) for name in ("a", "b")]
    tables = speed_tables(results(measured))["synchronous-writes"]
    assert [each.candidate for each in tables] == ["a", "b"]


@pytest.mark.parametrize(
    ("profile", "status", "opened", "chapter"),
    [
        ("random-write-iops", "pass", False, "iops"),
        ("random-write-iops", "fail", True, "iops"),
        ("random-write-iops", "inconclusive", True, "iops"),
        ("sync-write-iops", "pass", True, "synchronous-writes"),
    ],
)
def test_pictures_of_what_did_not_pass_are_seen_at_once_others_are_folded(
    profile: str, status: Status, opened: bool, chapter: str
) -> None:
    series = {"write.iops": [90.0, 110.0, 100.0]}
    measured = [each.model_copy(update={"series": series}) for each in both(profile, IOPS, IOPS)]
    found = results(measured, verdict(profile, "write.iops", status))
    (shown,) = table(found, chapter).profile_pictures
    assert shown.pictures and shown.explains == opened
    section = render_summary(found).partition(f'<section id="{chapter}">')[2].partition("</section>")[0]
    before, figure, _ = section.partition("<figure")
    assert figure and (before.count("<details") == before.count("</details")) == opened
