"""The table of candidate and baseline side by side: which rows, which figures, which verdict."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from acceptance.report.comparison import Comparison, comparisons
from acceptance.report.rows import Row
from acceptance.results.document import (
    Estimate,
    Measurement,
    RelativeEstimate,
    Results,
    Role,
    Run,
    Status,
    Verdict,
)
from acceptance.results.model import Unit
from selftests.unit.flat_verdicts import flat_verdict

NOW = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
UNITS: dict[str, Unit] = {"iops": "1/s", "bandwidth": "B/s", "use": "cpu"}


def measurement(
    profile: str, storage_class: str = "fast", role: Role = "candidate", *, beside: str | None = None, **metrics: float
) -> Measurement:
    """Metrics by their path, with `__` for each dot."""
    paths = {name.replace("__", "."): mean for name, mean in metrics.items()}
    return Measurement(
        id=f"{storage_class}/{profile}/{role}",
        profile=profile,
        storage_class=storage_class,
        role=role,
        node="n1",
        pods=["p"],
        started=NOW,
        duration_s=12.0,
        fio_version="fio-3.33",
        metrics={
            path: Estimate(mean=mean, low=mean, high=mean, unit=UNITS.get(path.rpartition(".")[2], "s"), samples=12)
            for path, mean in paths.items()
        },
        series={},
        warnings=[],
        compared_with=beside and f"{beside}/{profile}/baseline",
    )


def both(
    profile: str, ours: dict[str, float], theirs: dict[str, float], *, candidate: str = "fast"
) -> list[Measurement]:
    """Loaded in turn, with an interval of 2 % for each ratio."""
    paired = {name.replace("__", "."): ratio(ours[name] / theirs[name]) for name in ours if theirs.get(name)}
    return [
        measurement(profile, candidate, beside="local", **ours).model_copy(update={"against_baseline": paired}),
        measurement(profile, "local", "baseline", **theirs),
    ]


def ratio(value: float) -> RelativeEstimate:
    return RelativeEstimate(ratio=value, low=value / 1.02, high=value * 1.02, confidence=0.95)


def verdict(
    profile: str, metric: str, status: Status, *, rule: str = "at_least", storage_class: str = "fast"
) -> Verdict:
    return flat_verdict(
        id=f"{storage_class}/{profile}/{metric}/{rule}",
        test="t",
        storage_class=storage_class,
        profile=profile,
        metric=metric,
        rule=rule,
        limit="l",
        measured=None,
        low=None,
        high=None,
        status=status,
        reason="r",
    )


def results(measurements: list[Measurement], *verdicts: Verdict) -> Results:
    run = Run(id="r", started=NOW, finished=NOW, complete=True, suite_version="1", exit_status=0)
    return Results(
        run=run,
        cluster=None,
        settings={"tier": "baseline"},
        measurements=measurements,
        steps=[],
        verdicts=list(verdicts),
        tier_limits=1,
        errors=[],
        overall="pass",
    )


def only(found: Results) -> Comparison:
    (comparison,) = comparisons(found)
    return comparison


def rows(found: Results) -> list[Row]:
    return [row for group in only(found).groups.values() for row in group]


def test_a_row_has_both_figures_and_the_change_as_kbench_prints_it() -> None:
    found = results(both("random-read-iops", {"read__iops": 12_882.0}, {"read__iops": 159_606.0}))
    (row,) = rows(found)
    assert (row.profile, row.metric) == ("random-read-iops", "read.iops")
    assert row.change is not None
    assert row.change.value == pytest.approx(-0.9193, abs=1e-4)


@pytest.mark.parametrize(
    ("profile", "metrics", "asked", "shown"),
    [
        ("random-write-iops", ["write.iops", "write.bandwidth", "write.latency.mean"], [], ["write.iops"]),
        ("random-write-bandwidth", ["write.iops", "write.bandwidth"], ["write.iops"], ["write.bandwidth"]),
        (
            "sequential-read-latency",
            ["read.iops", "read.latency.mean", "cpu.use"],
            ["read.latency.mean"],
            ["read.latency.mean"],
        ),
        ("sync-write-iops", ["write.iops", "write.bandwidth"], ["write.iops"], ["write.iops"]),
        ("etcd-fsync", ["write.iops", "sync.iops", "sync.latency.p99"], ["sync.latency.p99"], ["sync.latency.p99"]),
        ("etcd-fsync", ["write.iops", "sync.iops", "sync.latency.p99"], [], ["write.iops"]),
        ("mixed", ["read.iops", "write.iops"], [], ["read.iops", "write.iops"]),
        ("mixed", ["read.iops", "write.iops"], ["write.iops", "write.latency.p95"], ["write.iops"]),
        ("my-latency", ["write.iops"], [], ["write.iops"]),
    ],
)
def test_a_profile_is_shown_by_what_it_is_about(
    profile: str, metrics: list[str], asked: list[str], shown: list[str]
) -> None:
    figures = {metric.replace(".", "__"): 1.0 for metric in metrics}
    found = results(both(profile, figures, figures), *(verdict(profile, metric, "pass") for metric in asked))
    assert [row.metric for row in rows(found)] == shown


def test_the_jobs_of_kbench_are_grouped_as_there_and_others_follow() -> None:
    profiles = {
        "mine": "write.iops",
        "sequential-read-latency": "read.latency.mean",
        "random-write-iops": "write.iops",
        "random-read-iops": "read.iops",
        "random-read-bandwidth": "read.bandwidth",
        "sync-write-iops": "write.iops",
    }
    measured = []
    for profile, metric in profiles.items():
        direction = metric.partition(".")[0]
        figures = {f"{direction}__iops": 1.0, metric.replace(".", "__"): 1.0}
        measured += both(profile, figures, figures)
    groups = {title: [row.profile for row in group] for title, group in only(results(measured)).groups.items()}
    assert list(groups.items()) == [
        ("Synchronous writes", ["sync-write-iops"]),
        ("IOPS", ["random-read-iops", "random-write-iops"]),
        ("Bandwidth", ["random-read-bandwidth"]),
        ("Latency", ["sequential-read-latency"]),
        ("Further profiles", ["mine"]),
    ]


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        (["pass", "fail", "inconclusive"], "fail"),
        (["pass", "inconclusive"], "inconclusive"),
        (["skipped", "pass"], "pass"),
        ([], "skipped"),
    ],
)
def test_the_verdict_of_a_row_is_the_worst_of_its_profile_and_class(statuses: list[Status], worst: Status) -> None:
    own = [verdict("p", "write.iops", status) for status in statuses]
    others = [verdict("other", "write.iops", "fail"), verdict("p", "write.iops", "fail", storage_class="slow")]
    figures = {"write__iops": 1.0}
    (row,) = rows(results(both("p", figures, figures), *own, *others))
    assert row.status == worst


def test_a_row_has_the_verdict_of_its_own_metric() -> None:
    figures = {"read__iops": 1.0, "read__latency__mean": 1.0, "cpu__use": 0.5}
    cpu = verdict("random-read-latency", "cpu.use", "fail", rule="not_worse_than_baseline_by")
    mean = verdict("random-read-latency", "read.latency.mean", "pass")
    found = results(both("random-read-latency", figures, figures), cpu, mean)
    shown = [(row.metric, row.verdict) for row in rows(found)]
    assert shown == [("read.latency.mean", "pass"), ("cpu.use", "fail")]
    passed = results(both("random-read-latency", figures, figures), cpu.model_copy(update={"status": "pass"}))
    assert [(row.metric, row.verdict) for row in rows(passed)] == [("read.latency.mean", "not judged")]
    worst = results(both("random-read-latency", figures, figures), mean, mean.model_copy(update={"status": "fail"}))
    assert [row.status for row in rows(worst)] == ["fail"]


def test_each_candidate_stands_beside_the_baseline_that_was_measured_with_it() -> None:
    figures = {"write__iops": 100.0}
    first, second = (
        both("p", figures, {"write__iops": rate}, candidate=name) for name, rate in (("a", 50), ("b", 200))
    )
    second = [
        second[0].model_copy(update={"compared_with": "local/again"}),
        second[1].model_copy(update={"id": "local/again"}),
    ]
    found = comparisons(results([*first, *second]))
    assert [(each.candidate, each.baseline) for each in found] == [("a", "local"), ("b", "local")]
    changes = [row.change for each in found for group in each.groups.values() for row in group]
    assert [change and change.value for change in changes] == [1.0, -0.5]


def test_without_a_baseline_there_is_a_table_of_the_candidate_alone() -> None:
    found = results([measurement("p", write__iops=100.0)])
    (row,) = rows(found)
    assert (row.baseline, row.change) == (None, None)


def test_a_baseline_that_stood_still_or_lacks_the_metric_gives_no_change() -> None:
    still = results(both("p", {"write__iops": 100.0}, {"write__iops": 0.0}))
    lacking = results(both("p", {"write__iops": 100.0}, {"read__iops": 1.0}))
    assert [rows(each)[0].change for each in (still, lacking)] == [None, None]
