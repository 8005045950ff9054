"""`metrics.prom`: both formats read it, its names follow the convention, and nothing in a run's texts breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus_text
from prometheus_client.samples import Sample

from acceptance.report.gauges import Gauge, Samples
from acceptance.report.prometheus.document import candidates, cluster_name, metrics_text
from acceptance.report.prometheus.measured import pattern
from acceptance.results.document import RelativeEstimate, Results
from acceptance.results.file import read_results
from acceptance.results.subjects import SUBJECTS, Subject
from acceptance.text.sanitizing import sanitize_values
from selftests.unit.compared_runs import class_of, cluster, judged, measured, run_of

RUN_OF_ALL = Path(__file__).parents[2] / "docs/evidence/longhorn-1.10/results.json"
RECORDED = Path(__file__).parents[1] / "integration/recorded/make_accept.json"


def read(text: str, parse: Any = openmetrics) -> dict[str, list[Sample]]:
    """The samples by the name of their metric."""
    return {family.name: family.samples for family in parse(text)}


def of(text: str, name: str, **labels: str) -> list[float]:
    """The values of the samples of a metric that have these labels."""
    samples = read(text).get(f"storage_acceptance_{name}", [])
    return [sample.value for sample in samples if labels.items() <= sample.labels.items()]


def compared(**more: Any) -> Results:
    """A run of the class `fast` beside `local`."""
    against = {"write.iops": RelativeEstimate(ratio=0.25, low=0.2, high=0.3, confidence=0.98)}
    return run_of(
        measured(
            {"write.iops": 1000.0, "write.latency.p99": 0.002, "cpu.use": 0.5, "cpu.per_operation": 2e-5},
            beside="local",
            against=against,
        ),
        measured({"write.iops": 4000.0}, storage_class="local", role="baseline"),
        verdicts=[judged("pass"), judged("fail", metric="write.latency.p99")],
        where=cluster(class_of()),
        **more,
    )


def test_both_formats_say_the_same_of_a_real_run() -> None:
    text = metrics_text(read_results(RECORDED))
    ours, older = read(text), read(text, prometheus_text)
    assert len(ours) > 20
    assert ours == older
    assert text.endswith("# EOF\n")


def test_values_are_in_base_units_with_their_interval() -> None:
    text = metrics_text(compared())
    labels = {"class": "fast", "role": "candidate", "profile": "sync-write-iops", "pattern": "sync-write"}
    assert of(text, "iops", **labels, direction="write", bound="mean") == [1000.0]
    low, high = of(text, "iops", **labels, bound="low"), of(text, "iops", **labels, bound="high")
    assert (low, high) == ([pytest.approx(1000 / 1.1)], [pytest.approx(1100)])
    assert of(text, "latency_seconds", **labels, statistic="p99", bound="mean") == [0.002]
    assert of(text, "cpu_usage_ratio", **labels, bound="mean") == [0.5]
    assert of(text, "operation_cpu_seconds", **labels, bound="mean") == [2e-5]
    assert of(text, "baseline_ratio", metric="write.iops", bound="high") == [0.3]


def test_the_baseline_stands_with_the_candidate_that_it_was_measured_for() -> None:
    text = metrics_text(compared())
    assert of(text, "iops", **{"class": "local"}, role="baseline", candidate="fast", bound="mean") == [4000.0]


def test_each_sample_says_which_class_cluster_and_tier_it_is_about() -> None:
    for samples in read(metrics_text(compared(settings={"context": "staging"}))).values():
        for sample in samples:
            own = {name: sample.labels[name] for name in ("candidate", "cluster", "tier")}
            assert own == {"candidate": "fast", "cluster": "kubeconfig/staging", "tier": "baseline"}


def test_of_the_status_one_is_set_and_the_others_are_not() -> None:
    text = metrics_text(compared())
    assert of(text, "verdict", metric="write.latency.p99", status="fail") == [1.0]
    assert of(text, "verdict", metric="write.latency.p99", status="pass") == [0.0]
    assert of(text, "verdicts", status="fail") == of(text, "verdicts", status="pass") == [1.0]
    assert of(text, "class_overall", status="fail") == [1.0]


def test_verdicts_that_ask_the_same_are_one_and_the_worst_counts() -> None:
    twice = [judged("pass"), judged("inconclusive"), judged("pass")]
    text = metrics_text(run_of(measured({"write.iops": 1.0}), verdicts=twice))
    assert of(text, "verdict", metric="write.iops", status="inconclusive") == [1.0]
    assert of(text, "verdict", metric="write.iops", status="pass") == [0.0]


def test_a_run_without_measurements_says_what_it_was() -> None:
    text = metrics_text(run_of(complete=False, errors=["environment error"]))
    assert of(text, "errors") == [1.0]
    assert of(text, "complete") == [0.0]
    assert of(text, "iops") == of(text, "duration_seconds") == of(text, "exit_status") == []
    assert candidates(run_of()) == [""]


def test_classes_that_were_asked_for_are_there_before_anything_is_known_of_them() -> None:
    asked = run_of(verdicts=[judged(storage_class="second")], settings={"storage_class": ["first", "second"]})
    assert candidates(asked) == ["first", "second"]
    assert of(metrics_text(asked), "class_overall", status="inconclusive", candidate="first") == [1.0]
    assert candidates(compared()) == ["fast"]


def test_an_interrupted_run_is_not_complete_though_it_has_an_exit_status() -> None:
    for tests, whole in ((("t",), 1.0), (("t", "never reached"), 0.0)):
        run = run_of(measured({"write.iops": 1.0}), verdicts=[judged()], tests=tests)
        assert of(metrics_text(run), "complete") == [whole]
        assert run.run.exit_status == 0


def test_each_class_has_its_own_verdict_and_all_have_that_of_the_run() -> None:
    verdicts = [judged("pass"), judged("fail", storage_class="slow")]
    run = run_of(measured({"write.iops": 1.0}), verdicts=verdicts).model_copy(update={"overall": "fail"})
    text = metrics_text(run)
    assert of(text, "class_overall", status="fail", candidate="fast") == [0.0]
    assert of(text, "class_overall", status="fail", candidate="slow") == [1.0]
    assert of(text, "overall", status="fail") == [1.0, 1.0]


def test_values_that_are_not_known_or_no_number_are_left_out() -> None:
    samples = Samples({"candidate": "fast"})
    gauge = Gauge(name="iops", help="h", labels=("bound",))
    samples.set(gauge, None, bound="low")
    samples.set(gauge, float("nan"), bound="mean")
    assert list(samples) == []
    with pytest.raises(ValueError, match="expected labels"):
        samples.set(gauge, 1.0)


def test_a_help_text_that_the_two_formats_write_differently_is_refused() -> None:
    with pytest.raises(ValueError, match="quotation"):
        Gauge(name="a", help='a "b"')


@pytest.mark.parametrize(
    ("name", "unit"),
    [("a_seconds", "seconds"), ("a_bytes_per_second", "bytes_per_second"), ("a_operations_per_second", ""), ("a", "")],
)
def test_the_unit_of_a_gauge_is_the_end_of_its_name(name: str, unit: str) -> None:
    assert Gauge(name=name, help="h").unit == unit


@given(name=st.text(min_size=1, max_size=40))
def test_names_in_any_script_are_read_as_they_were_written(name: str) -> None:
    written = sanitize_values(run_of(measured({"write.iops": 1.0}, storage_class=name)).model_dump())
    results = Results.model_validate(written)
    text = metrics_text(results)
    (sample,) = [
        acceptance_iop
        for acceptance_iop in read(text)["storage_acceptance_iops"]
        if acceptance_iop.labels["bound"] == "mean"
    ]
    assert sample.labels["class"] == sample.labels["candidate"] == results.measurements[0].storage_class
    assert read(text) == read(text, prometheus_text)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [("random-read-iops", "random-read"), ("sync-write-iops", "sync-write"), ("lesson-mixed", ""), ("", "")],
)
def test_the_pattern_is_what_the_name_says_of_it(profile: str, expected: str) -> None:
    assert pattern(profile) == expected


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("embedded", {"embedded": None}, "embedded/default"),
        ("embedded", {"embedded": "two"}, "embedded/two"),
        ("kubeconfig", {"context": "staging"}, "kubeconfig/staging"),
        ("kubeconfig", {"context": None}, "kubeconfig"),
        ("host", {}, "host/node-1"),
    ],
)
def test_a_cluster_is_named_as_it_was_asked_for(kind: str, settings: dict[str, str | None], expected: str) -> None:
    assert cluster_name(run_of(settings=settings, where=cluster(kind=kind))) == expected


@pytest.mark.parametrize("kind", ["kubeconfig", "in-cluster", "embedded", "kind"])
@pytest.mark.parametrize("context", ["staging", None])
def test_clusters_of_one_name_are_told_apart_and_one_is_the_same_each_time(kind: str, context: str | None) -> None:
    def name_of(identity: str) -> str:
        where = cluster(kind=kind).model_copy(update={"identity": identity})
        return cluster_name(run_of(settings={"context": context}, where=where))

    one, two = "0d1e4f3a-0000-4000-8000-000000000000", "7c2b9e10-0000-4000-8000-000000000000"
    assert name_of(one) == name_of(one) != name_of(two)
    if kind == "kubeconfig":
        assert name_of(one) == "/".join(filter(None, (kind, context, "0d1e4f3a")))


def test_the_series_of_a_run_are_bounded_by_what_is_asked() -> None:
    """Of a metric of a profile three for each class, of a limit one for each status: a second run brings no more."""
    first, second = (metrics_text(compared(run_id=run)) for run in ("r1", "r2"))

    def series(text: str) -> set[tuple[str, frozenset[tuple[str, str]]]]:
        return {(each.name, frozenset(each.labels.items())) for found in read(text).values() for each in found}

    assert {name for name, _ in series(first) ^ series(second)} == {"storage_acceptance_run_info"}


@pytest.mark.parametrize("subject", [*SUBJECTS, None])
def test_a_verdict_of_whatever_subject_has_a_status_a_count_and_its_figure(subject: Subject | None) -> None:
    """By construction: a subject that nobody has written a metric for has these."""
    verdict = judged("fail", metric="read.iops").model_copy(update={"subject": subject})
    text = metrics_text(run_of(verdicts=[verdict]))
    about = {"subject": subject or "", "profile": "sync-write-iops", "metric": "read.iops", "rule": "at-least"}
    assert of(text, "verdict_value", **about, unit=verdict.unit or "", bound="mean") == [verdict.measured]
    assert of(text, "subject_verdicts", subject=subject or "", status="fail") == [1.0]
    assert of(text, "subject_verdicts", subject=subject or "", status="pass") == [0.0]


def test_all_subjects_and_figures_of_a_real_run_are_there() -> None:
    """One that tested nearly all that there is."""
    found = read_results(RUN_OF_ALL)
    text = metrics_text(found)
    subjects = {
        subject_verdict.labels["subject"] for subject_verdict in read(text)["storage_acceptance_subject_verdicts"]
    }
    assert subjects == {verdict.subject for verdict in found.verdicts} and len(subjects) > 10
    figures = {verdict.id for verdict in found.verdicts if verdict.measured is not None}
    assert len(figures) > 40 and len(of(text, "verdict_value", bound="mean")) == len(figures)
    assert sum(of(text, "subject_verdicts")) == len(found.verdicts)
