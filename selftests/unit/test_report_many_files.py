"""Many files in the report: rates beside those of the baseline, starts, two pictures, metrics; nothing unescaped."""

from __future__ import annotations

from acceptance.judging.many_files import judge_many_files
from acceptance.report.pictures import rates_by_files, starts_by_files
from acceptance.report.records.many_files import many_files_parts
from acceptance.report.summary import render_summary
from selftests.unit.many_files_records import limit, rate, record, started
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of
from selftests.unit.test_report_crashes import results

FOUND = record(
    rate(),
    rate("stat", seconds=[0.1, 0.12] * 50),
    starts=[*started(), *started("other-group", empty=[1.0], full=[None])],
    storage_class="fast<b>",
)
BESIDE = record(rate(seconds=[0.5, 0.55] * 50), role="baseline", storage_class="local")


def test_a_section_has_rates_beside_the_baseline_and_starts() -> None:
    (section,) = many_files_parts(results(many_files=[BESIDE, FOUND]))
    (created, looked_up), starts = tables_of(section)
    told = (created["Operation"], created["Files"], created["Files a second"], created["<bdi>local</bdi>"])
    assert told == ("created", "100,000", "952", "1,905")
    assert created["Times as fast"].startswith("0.5x (0.4")
    assert (looked_up["<bdi>local</bdi>"], looked_up["Times as fast"]) == ("", "")
    assert [[*row.values()][1:] for row in starts] == [
        ["1.4 s, 1.6 s, 1.5 s", "1.5 s, 1.6 s, 1.4 s"],
        ["1 s", "not in time"],
    ]
    assert "did not start with 100,000 files: it waits <b>" in sentences_of(section)[-1]


def test_the_page_has_a_chapter_and_escapes_it() -> None:
    page = render_summary(results(many_files=[FOUND]))
    assert '<section id="many-files">' in page and "100,000 files on <bdi>fast&lt;b&gt;</bdi>" in page
    assert "fast<b>" not in page and "it waits <b>" not in page


def test_pictures_show_rates_by_their_number_and_starts_on_none_and_on_all() -> None:
    rates, starts = rates_by_files(FOUND), starts_by_files(FOUND)
    assert rates is not None and starts is not None
    assert rates.text == "create: 1,000 a second at first, 909 at last. stat: 10,000 a second at first, 8,333 at last."
    assert starts.text.startswith("the volume's own group, OnRootMismatch: 1.5 s on 0 files, 1.5 s on 100,000 files.")
    assert rates_by_files(record()) is None and starts_by_files(record()) is None


def test_a_limit_on_starts_is_drawn() -> None:
    verdict = judge_many_files(FOUND, limit("start", 4.0)).model_copy(update={"subject": "many-files"})
    (section,) = many_files_parts(results(many_files=[FOUND], verdicts=[verdict]))
    assert "Limit: 100,000 files, slowest pod ready on them: at most 4 s." in pictures_of(section)[1].text


def test_metrics_have_rates_with_their_interval_and_the_slowest_start() -> None:
    found = gauges_of(results(many_files=[FOUND, BESIDE]), "fast<b>")
    operations = found["many_files_operations_per_second"].items()
    rates = {dict(key)["bound"]: value for key, value in operations if dict(key)["operation"] == "create"}
    assert rates["low"] < rates["mean"] < rates["high"] and round(rates["mean"]) == 952
    seconds = found["many_files_start_seconds"].items()
    starts = {(dict(key)["group"], dict(key)["files"]): value for key, value in seconds}
    assert starts == {("same-group", "0"): 1.6, ("same-group", "100000"): 1.6, ("other-group", "0"): 1.0}
