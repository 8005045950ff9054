"""The report's chapter on sustained loads: all of the load, its end marked, and what its length cannot tell."""

from __future__ import annotations

from acceptance.judging.sustained import judge_sustained
from acceptance.report.records.sustained import sustained_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import pictures_of
from selftests.unit.sustained_records import at_least, sustained
from selftests.unit.test_report_crashes import results


def slowed(seconds: int = 2400) -> Results:
    """Fast until the last 5 min."""
    record = sustained([900.0] * (seconds - 300) + [300.0] * 300)
    verdict = judge_sustained(record, at_least(750)).model_copy(update={"subject": "sustained", "test": "t"})
    return results(sustained=[record], verdicts=[verdict], overall="fail")


def test_without_such_a_load_nothing_is_said_of_it() -> None:
    assert "Sustained speed" not in render_summary(results())


def test_the_load_is_drawn_with_its_judged_end_marked() -> None:
    (picture,) = pictures_of(*sustained_parts(slowed()))
    assert "Mean and CI are those of the marked 300 s at the end, which are judged." in picture.caption
    assert "fill-band" in picture.svg
    assert "fast: 300 IOPS" in picture.text


def test_the_chapter_says_what_the_end_was_like() -> None:
    page = render_summary(slowed())
    assert '<section id="sustained">' in page and "<h2>Sustained speed</h2>" in page
    assert "40 min of load without a pause on a test file of 1Gi; judged: its last 5 min." in page
    assert "300 IOPS, 300 IOPS, 300 IOPS, 300 IOPS, 300 IOPS; steady, as SNIA defines it." in page
    assert "Storage slowed down after 35 min of load" in page
    assert "hort form" not in page


def test_a_short_form_is_named() -> None:
    assert "A short form: the judged part began after 5 min of load" in render_summary(slowed(600))


def test_metrics_have_the_end_and_how_long_it_took() -> None:
    found = gauges_of(slowed())
    assert list(found["sustained_load_seconds"].values()) == [2400.0]
    assert set(found["sustained_iops"].values()) == {300.0}
    assert "sustained_iops" not in gauges_of(slowed(), "slow")
