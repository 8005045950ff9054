"""Chapters under the titles that tests gave: on the page, the terminal, in GitHub's summary and side by side."""

from __future__ import annotations

from typing import Any

from acceptance.report.comparing.naming import name_runs
from acceptance.report.comparison import comparisons
from acceptance.report.github_summary import markdown
from acceptance.report.side_by_side import SideBySide
from acceptance.report.speed import speed_tables
from acceptance.report.summary import render_summary
from acceptance.report.terminal_table import terminal_table
from acceptance.results.document import Verdict
from acceptance.results.requirement import Requirement
from selftests.unit.test_report_comparison import both, results, verdict


def of_orders(**more: Any) -> Verdict:
    return verdict("order-log", "write.iops", "fail").model_copy(
        update={"subject": "speed", "chapter": "Orders <of> *ours*", **more}
    )


def test_figures_stand_under_the_title_that_a_test_gave_wherever_they_are_told() -> None:
    found = results(
        [
            *both("order-log", {"write__iops": 1.0}, {"write__iops": 2.0}),
            *both("other", {"write__iops": 1.0}, {"write__iops": 2.0}),
        ],
        of_orders(),
        of_orders(subject="provisioning", reason="held <on> fast", id="fast/volume/held").model_copy(
            update={"requirement": Requirement(rule="held")}
        ),
    )
    page = render_summary(found)
    chapter = page.partition('<section id="chapter-1">')[2].partition("</section>")[0]
    assert "<h2>Orders &lt;of&gt; *ours*</h2>" in chapter
    assert "order-log" in chapter and "held &lt;on&gt; fast" in chapter and "other" not in chapter
    assert "order-log" not in page.partition('<section id="further-profiles">')[2].partition("</section>")[0]
    (comparison,) = comparisons(found)
    assert {title: {row.profile for row in rows} for title, rows in comparison.groups.items()} == {
        "Further profiles": {"other"},
        "Orders <of> *ours*": {"order-log"},
    }
    assert "Orders <of> *ours*" in terminal_table(comparison, width=120, in_color=False)
    assert "| Orders &#60;of&#62; &#42;ours&#42; |" in markdown(found)
    rows = SideBySide(name_runs([found, found])).verdict_rows
    assert {row.about for row in rows} == {"Orders <of> *ours*: order-log", "Orders <of> *ours*"}


def test_other_figures_stay_where_they_are_whatever_the_chapter_of_a_verdict_on_them() -> None:
    """Those of a scale run of the same profile, or of a run before."""
    own = (of_orders(subject="many-volumes"), of_orders(subject="history"))
    found = results(both("order-log", {"write__iops": 1.0}, {"write__iops": 2.0}), *own)
    assert list(speed_tables(found)) == ["further-profiles"]
    assert [list(comparison.groups) for comparison in comparisons(found)] == [["Further profiles"]]


def test_a_title_of_the_report_itself_is_that_chapter() -> None:
    found = results(both("order-log", {"write__iops": 1.0}, {"write__iops": 2.0}), of_orders(chapter="IOPS"))
    assert list(speed_tables(found)) == ["iops"] and "chapter-1" not in render_summary(found)
    assert [list(comparison.groups) for comparison in comparisons(found)] == [["IOPS"]]
