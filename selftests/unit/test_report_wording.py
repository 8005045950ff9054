"""How changes and rules read in the report: in times or percent, with the direction in words."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.limit import judge
from acceptance.report.figures import shown_rule, shown_speed_change, shown_speed_change_interval
from acceptance.report.overview import outcomes_in_words, subjects, totals_in_words
from acceptance.report.profiles_in_words import profiles_in_words
from acceptance.report.rows import Change
from acceptance.report.speed import speed_tables
from acceptance.report.summary import _what_follows as what_follows
from acceptance.report.summary import render_summary
from acceptance.report.tiles import tiles
from acceptance.results.conditions import TierLimit
from acceptance.results.metrics import Metric
from acceptance.results.requirement import Outcome, Requirement
from selftests.unit.compared_runs import estimate, judged, measured, run_of
from selftests.unit.crash_records import durability
from selftests.unit.made_limits import made_limit


def change(ratio: float, low: float, high: float) -> Change:
    return Change(value=ratio - 1.0, low=low - 1.0, high=high - 1.0, confidence=0.99)


@pytest.mark.parametrize(
    ("metric", "of", "words", "interval"),
    [
        ("read.latency.mean", (11.25, 4.37, 28.96), "11x slower", "4.4x to 29x (99% CI)"),
        ("write.iops", (0.111, 0.1, 0.125), "9x slower", "8x to 10x (99% CI)"),
        ("write.iops", (0.62, 0.5, 0.8), "38 % slower", "20 % to 50 % (99% CI)"),
        ("write.iops", (2.5, 2.0, 3.0), "2.5x faster", "2x to 3x (99% CI)"),
        ("read.bandwidth", (1.055, 1.01, 1.1), "5.5 % faster", "1.0 % to 10 % (99% CI)"),
        ("read.latency.p99", (0.8, 0.7, 0.9), "20 % faster", "10 % to 30 % (99% CI)"),
        ("sync.latency.mean", (2.06, 0.8, 5.29), "2.1x slower", "20 % faster to 5.3x slower (99% CI)"),
        ("cpu.per_operation", (3.2, 3.0, 3.5), "3.2x more", "3x to 3.5x (99% CI)"),
        ("a metric to come", (0.5, 0.4, 0.6), "2x less", "1.67x to 2.5x (99% CI)"),
        ("write.iops", (1.0, 0.9, 1.1), "the same", "10 % slower to 10 % faster (99% CI)"),
        ("write.iops", (0.0, 0.0, 0.5), "100 % slower", "100 % slower to 2x slower (99% CI)"),
    ],
)
def test_a_change_is_told_as_a_reader_says_it(
    metric: str, of: tuple[float, float, float], words: str, interval: str
) -> None:
    found = change(*of)
    assert (shown_speed_change(found, metric), shown_speed_change_interval(found, metric)) == (words, interval)


def test_without_a_change_or_an_interval_nothing_is_said() -> None:
    assert shown_speed_change(None, "write.iops") == shown_speed_change_interval(None, "write.iops") == ""
    assert shown_speed_change_interval(Change(value=0.5), "write.iops") == ""


@pytest.mark.parametrize(
    ("rule", "metric", "limit", "words"),
    [
        ("not_better_than_baseline_by", "write.iops", "at most 1.2x", "not faster than local by more than 20 %"),
        (
            "not_better_than_baseline_by",
            "read.latency.mean",
            "at least 0.8x",
            "not faster than local by more than 20 %",
        ),
        ("not_worse_than_baseline_by", "read.latency.mean", "at most 3x", "not slower than local by more than 3x"),
        ("not_worse_than_baseline_by", "cpu.per_operation", "at most 3x", "cpu.per_operation at most 3x that of local"),
        (
            "not_better_than_baseline_by",
            "cpu.per_operation",
            "at least 0.8x",
            "cpu.per_operation at least 0.8x that of local",
        ),
        ("at_least", "write.iops", "at least 0.5x", "write.iops at least 0.5x the baseline's"),
    ],
)
def test_a_rule_says_what_is_not_to_be(rule: str, metric: str, limit: str, words: str) -> None:
    verdict = judged(rule=rule, metric=metric, limit=f"{metric} {limit} the baseline's", unit="ratio")
    assert shown_rule(verdict, "local") == words
    assert shown_rule(verdict) in (verdict.limit, words.replace("local", "the baseline class"))


def test_one_figure_has_one_interval() -> None:
    """The measurement's own is of 95 %, the verdict's is wider."""
    load = measured({"write.iops": estimate(1000.0, by=1.05)})
    verdict = judged(low=800.0, high=1300.0, confidence=0.996)
    html = render_summary(run_of(load, verdicts=[verdict]))
    assert html.count("800 IOPS to 1,300 IOPS (99.6% CI)") == 3, "in the tile, in the table, among all metrics"
    assert "952.4 IOPS" not in html


@pytest.mark.parametrize("of", [{"subject": "many-volumes"}, {"measured": 700.0}])
def test_the_interval_of_a_verdict_on_another_load_is_not_taken(of: dict[str, Any]) -> None:
    load = measured({"write.iops": estimate(1000.0, by=1.05)})
    other = judged(low=600.0, high=1400.0, confidence=0.99, **of)
    assert "952.4 IOPS" in render_summary(run_of(load, verdicts=[other]))


def test_each_profile_is_told_in_words() -> None:
    texts = {
        "sync-write-iops.fio": "# Writes of 4k, one by one.\n# Stands for databases.\n[job]",
        "bare.fio": "[job]",
        "broken.sysbench": "# Mixed, and fsync after\n# every 100.5 writes\n",
    }
    run = run_of(measured({"write.iops": 1000.0}), texts=texts)
    assert profiles_in_words(run) == {
        "sync-write-iops": "Writes of 4k, one by one.",
        "broken": "Mixed, and fsync after every 100.5 writes",
    }
    assert "Writes of 4k, one by one." in render_summary(run)
    assert profiles_in_words(run_of()) == {}


def test_what_only_held_is_a_line_and_what_was_skipped_is_folded() -> None:
    plain = {"profile": None, "metric": None, "measured": None, "low": None, "high": None, "unit": None}
    held = judged(**plain, limit="A PVC binds.", reason="held on fast", subject="provisioning", id="a")
    not_judged = judged("skipped", **plain, limit="Two nodes.", reason="no such limit", subject="provisioning", id="b")
    html = render_summary(run_of(verdicts=[held, not_judged]))
    assert "A PVC binds." in html and "held on fast" not in html
    assert "Two nodes. Skipped: no such limit." in html
    before, _, _ = html.partition("Two nodes.")
    assert before.count("<details") > before.count("</details") and "1 skipped, and why" in before


def test_a_reason_that_skipped_tests_share_is_stated_once_in_a_list() -> None:
    plain = {"profile": None, "metric": None, "measured": None, "low": None, "high": None, "unit": None}
    shared = [
        judged("skipped", **plain, limit=limit, reason="needs a cluster.", subject="provisioning", id=limit, test=limit)
        for limit in ("One.", "Two.")
    ]
    own = judged("skipped", **plain, limit="Three.", reason="no baseline", subject="provisioning", id="c", test="c")
    html = render_summary(run_of(verdicts=[*shared, own]))
    assert html.count("<p>2 tests skipped: needs a cluster.</p>") == html.count("needs a cluster") == 2
    assert html.count("<li>One.</li>") == html.count("<li>Two.</li>") == 2
    assert html.count("Three. Skipped: no baseline.") == 2


def test_what_a_pass_does_not_prove_is_on_the_page_and_true_for_the_run() -> None:
    failed = run_of(verdicts=[judged("fail")]).model_copy(update={"overall": "fail"})
    html = " ".join(render_summary(failed).split())
    assert html.count("What a pass would not prove") == 2 and 'href="#not-meant"' in html and 'id="not-meant"' in html
    assert "A pass would not prove that data is never lost.</strong> This run tested no crashes." in html
    assert "apply only to its limits and profiles" in html and "measured no sustained load, and no full disk" in html
    passed = run_of(verdicts=[judged()]).model_copy(
        update={"overall": "pass", "durability": [durability(failure="pod-killed"), durability()]}
    )
    html = " ".join(render_summary(passed).split())
    assert "This pass does not prove that data is never lost.</strong> This run tested 2 kinds of crashes;" in html
    assert "The node failures of this run show it only if they cut the power." in html


def test_figures_without_a_limit_are_told_from_skipped_tests() -> None:
    plain = {"metric": None, "rule": "none", "limit": "none", "measured": None, "low": None, "high": None, "unit": None}
    unlimited = judged("skipped", **plain, reason="p: measured, no limit (read.iops 1 IOPS).", subject="speed")
    run = run_of(measured({"write.iops": 1000.0}), verdicts=[unlimited])
    (chapter,) = [each for each in subjects(run) if each.verdicts]
    assert (chapter.label, chapter.counts_in_words) == ("measured, no limit", "1 measured without a limit")
    assert outcomes_in_words(run) == "0 of 1 tests passed, none failed, 1 skipped (measured without a limit)."
    assert '<span class="status status-skipped">measured, no limit</span>' in render_summary(run)
    skipped = judged("skipped", metric="read.iops", id="b", test="u")
    both = run_of(verdicts=[unlimited, skipped])
    assert "2 skipped (1 of them measured without a limit)." in outcomes_in_words(both)
    assert totals_in_words(both).startswith("0 passed, 0 failed, 0 inconclusive, 2 skipped (1 of them measured")


def test_a_figure_has_no_limit_only_if_the_tier_is_known_to_have_none() -> None:
    run = run_of(measured({"write.iops": 1000.0}), texts={})
    assert [row.verdict for (table,) in speed_tables(run).values() for row in table.rows] == ["not judged"]
    for metric, label in (("write.iops", "not judged"), ("write.latency.p99", "measured, no limit")):
        requirement = Requirement(rule="at_least", profile="sync-write-iops", metric=metric)
        limit = TierLimit(profile="sync-write-iops", limit="some", requirement=requirement)
        assert run.tested_with is not None
        known = run.model_copy(update={"tested_with": run.tested_with.model_copy(update={"limits": [limit]})})
        assert [row.verdict for (table,) in speed_tables(known).values() for row in table.rows] == [label]
        assert [tile.label for tile in tiles(known)["fast"]] == [label]


def test_what_the_table_above_has_is_not_said_again() -> None:
    limit = made_limit(
        profile="sync-write-iops", metric=Metric.parse("write.iops"), at_least=750.0, because="etcd: slow."
    )
    failed, open_ = (
        judge(estimate(mean, by=1.1), limit, storage_class="fast").model_copy(update={"subject": "speed"})
        for mean in (500.0, 750.0)
    )
    assert what_follows(failed) == "sync-write-iops, write.iops: misses the limit (reason for the limit: etcd: slow)."
    assert what_follows(open_) == (
        "sync-write-iops, write.iops: a quieter machine or a longer measurement would decide it."
    )
    load = measured({"write.iops": estimate(500.0)})
    html = render_summary(run_of(load, verdicts=[failed]))
    chapter = html.partition('<section id="synchronous-writes">')[2].partition("</section>")[0]
    assert what_follows(failed) in chapter and failed.reason not in chapter
    assert html.count(failed.reason) == 2, "on the first screen, and among all verdicts"
    newer = Outcome(code="limit.of_a_newer_suite", facts={"figure": 1})
    unknown = failed.model_copy(update={"reason": "in words of another version", "outcome": newer})
    assert what_follows(unknown) == "in words of another version"


def test_a_pass_says_its_reason_only_when_it_is_asked_for() -> None:
    of = {"subject": "provisioning", "profile": "volume", "metric": "provisioning.bind_time", "rule": "at_most"}
    passed = judged(**of, limit="PVC bound at most 60 s", measured=2.5, unit="s", reason="the slowest took 2.5 s")
    failed = judged("fail", **of, limit="PVC bound at most 2 s", measured=2.5, unit="s", reason="too slow", id="b")
    for verdicts, columns in (([passed], 0), ([passed, failed], 1)):
        html = render_summary(run_of(verdicts=verdicts))
        chapter = html.partition('<section id="provisioning">')[2].partition("</section>")[0]
        table, _, folded = chapter.partition("<details")
        assert table.count('<th scope="col">Reason</th>') == columns
        assert "the slowest took" not in table and "the slowest took 2.5 s" in folded
        assert ("too slow" in table) == (failed in verdicts)
