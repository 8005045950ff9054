"""The first screen of the report: how tests ended, how long loads were, how many of them a cache may have helped."""

from __future__ import annotations

import pytest

from acceptance.report.overview import outcomes_in_words, overview
from acceptance.report.summary import render_summary
from acceptance.results.document import Measurement, Results, Status
from selftests.unit.compared_runs import judged, measured, run_of

MIB, GIB = 1024**2, 1024**3


def load(name: str, *, bandwidth: float, duration_s: float = 12.0) -> Measurement:
    one = measured({"read.bandwidth": bandwidth, "read.iops": 100.0}, profile=name)
    return one.model_copy(update={"duration_s": duration_s})


def facts(results: Results) -> dict[str, str]:
    return dict(overview(results).facts)


def test_an_access_mode_other_than_the_default_is_on_the_first_screen() -> None:
    assert "Access mode" not in facts(run_of()) and "Access mode" not in facts(run_of(settings={"access_mode": None}))
    assert facts(run_of(settings={"access_mode": "ReadWriteMany"}))["Access mode"] == "ReadWriteMany"
    of_both = facts(run_of(settings={"access_mode": "ReadWriteMany", "baseline_class": "local"}))
    assert of_both["Access mode"] == "ReadWriteMany; of local: ReadWriteOnce"


@pytest.mark.parametrize(
    ("statuses", "not_reached", "not_selected", "sentence"),
    [
        (("pass", "pass"), 0, 0, "2 of 2 tests passed, none failed."),
        (("pass", "fail", "skipped"), 0, None, "1 of 3 tests passed, 1 failed, 1 skipped."),
        (("pass", "inconclusive", "skipped"), 0, 61, "1 of 3 tests passed, none failed, 1 undecided, 1 skipped; 61 "),
        (("pass",), 2, 3, "1 of 3 tests passed, none failed, 2 without a verdict; 3 not selected."),
        ((), 0, 0, "No test ran."),
    ],
)
def test_the_first_sentence_counts_the_tests(
    statuses: tuple[Status, ...], not_reached: int, not_selected: int | None, sentence: str
) -> None:
    verdicts = [judged(status, test=f"t{number}") for number, status in enumerate(statuses)]
    run = run_of(verdicts=verdicts, tests=[f"t{number}" for number in range(len(statuses) + not_reached)])
    run = run.model_copy(update={"run": run.run.model_copy(update={"deselected": not_selected})})
    assert outcomes_in_words(run).startswith(sentence)
    assert sentence in " ".join(render_summary(run).split())


def test_a_test_with_several_verdicts_has_the_worst_of_them() -> None:
    run = run_of(verdicts=[judged("pass"), judged("fail"), judged("skipped"), judged("pass", test="other")])
    assert outcomes_in_words(run) == "1 of 2 tests passed, 1 failed."


def test_how_long_loads_were() -> None:
    run = run_of(*(load(f"p{each}", bandwidth=1.0, duration_s=float(each)) for each in (4, 4, 12, 36, 60)))
    assert facts(run)["Loads"] == "5 measurements of 4 s to 60 s each (median 12 s)"
    assert facts(run_of(load("p", bandwidth=1.0)))["Loads"] == "1 measurement of 12 s each"
    short = run_of(*(load(f"p{each}", bandwidth=1.0, duration_s=each) for each in (4.0, 4.0, 40.0)))
    assert facts(short)["Loads"] == "3 measurements of 4 s to 40 s each (median 4 s)"


def test_what_was_loaded_beside_is_not_counted() -> None:
    beside = measured({"read.iops": 1.0}, profile="p", storage_class="local", role="baseline")
    assert facts(run_of(load("p", bandwidth=1.0), beside))["Loads"].startswith("1 measurement of")


def test_a_file_that_is_small_for_what_was_read_of_it() -> None:
    texts = {"fast": "[job]", "slow": "[job]", "own": "[job]\nsize=64g"}
    loads = [load("fast", bandwidth=100 * MIB), load("slow", bandwidth=MIB), load("own", bandwidth=100 * MIB)]
    run = run_of(*loads, texts=texts, settings={"test_size": GIB})
    assert facts(run)["Caches"] == (
        "may have helped 1 of 3 measurements: each of these loads reads or writes its whole test file in less than "
        "25 s; use a larger --storage-test-size"
    )
    large = run_of(*loads, texts=texts, settings={"test_size": 4 * GIB})
    assert facts(large)["Caches"] == "no load reads or writes its whole test file in less than 25 s"


def test_nothing_is_said_where_nothing_was_measured_or_the_loads_are_not_known() -> None:
    assert not {"Loads", "Caches"} & set(facts(run_of()))
    assert "Caches" not in facts(run_of(load("p", bandwidth=1.0)))
    assert "Caches" not in facts(run_of(load("p", bandwidth=1.0), texts={"another": "[job]"}))
