"""The report's chapter on latency under load: a table, a curve with its limit, and where it bends."""

from __future__ import annotations

from acceptance.judging.under_load import judge_under_load
from acceptance.report.records.under_load import under_load_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results
from acceptance.results.under_load import Span, UnderLoadRecord
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of
from selftests.unit.simulated_shares import at_most
from selftests.unit.test_report_crashes import results
from selftests.unit.test_under_load_judging import KEPT, MISSED, at, record


def rising(*, last: float = 0.03, capacity: bool = True) -> Results:
    """1 ms until 50 %, 4 ms at 80 %, and at 90 % the rate is not kept."""
    loads = [
        at(reached, (p99 * 0.9, p99 * 1.1), share=share)
        for share, p99, reached in (
            (0.1, 0.001, KEPT),
            (0.5, 0.001, KEPT),
            (0.8, 0.004, KEPT),
            (0.9, last, MISSED),
        )
    ]
    full = {"write.latency.p99": Span(mean=0.05, low=0.04, high=0.06)}
    found = record(*loads).model_copy(update={"at_capacity": full})
    return of(found if capacity else record(capacity=False))


def of(found: UnderLoadRecord) -> Results:
    verdict = judge_under_load(found, at_most(0.003)).model_copy(update={"subject": "under-load", "test": "t"})
    return results(under_load=[found], verdicts=[verdict], overall="fail")


def test_without_such_loads_nothing_is_said_of_them() -> None:
    assert "Latency under load" not in render_summary(results())


def test_the_table_has_each_share_and_what_was_done_of_it() -> None:
    (section,) = under_load_parts(rising())
    (rows,) = tables_of(section)
    assert [(row["Share of the capacity"], row["Requested"], row["Reached"], row["p99"]) for row in rows] == [
        ("10 %", "4,000 IOPS", "97 %", "1 ms"),
        ("50 %", "4,000 IOPS", "97 %", "1 ms"),
        ("80 %", "4,000 IOPS", "97 %", "4 ms"),
        ("90 %", "4,000 IOPS", "97 %, not kept", "30 ms"),
        ("without a limit", "", "5,100 IOPS", "50 ms"),
    ]


def test_the_curve_is_drawn_up_to_the_capacity_with_the_limit() -> None:
    (section,) = under_load_parts(rising())
    (picture,) = pictures_of(section)
    assert picture.text == "p99: 1 ms at 10 %, 1 ms at 50 %, 4 ms at 80 %, 30 ms at 90 %, 50 ms at 100 %."
    assert "stroke-limit" in picture.svg and "of the capacity" in picture.svg


def test_the_knee_is_told() -> None:
    page = render_summary(rising())
    assert '<section id="under-load">' in page and "<h2>Latency under load</h2>" in page
    assert "The knee: between 50 % and 80 % of the capacity the p99 rises to 4 times that at 10 %." in page
    assert "Shares refer to 5,000 IOPS, the lower end of the 98% CI." in page


def test_a_flat_curve_has_no_knee() -> None:
    flat = [at(KEPT, (0.0009, 0.0011), share=share) for share in (0.1, 0.5, 0.8, 0.9)]
    (section,) = under_load_parts(of(record(*flat)))
    assert any(sentence.startswith("No knee up to 90 % of the capacity") for sentence in sentences_of(section))


def test_storage_that_did_nothing_has_a_chapter_without_a_picture() -> None:
    (section,) = under_load_parts(rising(capacity=False))
    assert (tables_of(section), pictures_of(section)) == ([[]], [])
    assert "the capacity is not known" in render_summary(rising(capacity=False))


def test_metrics_have_the_latencies_and_the_capacity() -> None:
    found = gauges_of(rising())
    assert set(found["capacity_iops"].values()) == {5000.0, 5100.0, 5200.0}
    assert len(found["latency_under_load_seconds"]) == 4 * 3
    assert "latency_under_load_seconds" not in gauges_of(rising(), "slow")
