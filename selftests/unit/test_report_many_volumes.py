"""The report's part on scale runs: a row a step, what follows from them in words, whose verdicts it shows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from acceptance.judging.scaling import judge_scaling
from acceptance.limits.limit import Limit
from acceptance.limits.scaling import Kind, scaling_limit
from acceptance.measuring.figures import figure
from acceptance.report.comparison import comparisons
from acceptance.report.parts import Part
from acceptance.report.records.many_volumes import scaling_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Estimate, Measurement, Results, Run, Status, Verdict
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure, NodesRecord, RateRecord, ScalingRecord, StepRecord, VolumeRecord
from acceptance.statistics.step_analyses import CONFIDENCE
from acceptance.trials.scaling.model import capacity
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of

NOW = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
PROFILE = "random-write-iops"


def step(pods: int, total: float, *, latency_s: float | None = 0.002, clock_spread_s: float = 0.012) -> StepRecord:
    """So many volumes that got equal shares, but the first, which got half of it, and the last, which got the rest."""
    rates = [total / pods] * pods
    if pods > 1:
        rates[0], rates[-1] = 0.5 * rates[0], 1.5 * rates[-1]
    latency = None if latency_s is None else figure([latency_s] * 8, confidence=CONFIDENCE)
    return StepRecord(
        pods=pods,
        window_s=20,
        batch_s=2,
        total=figure([total * share for share in (0.98, 1.02) * 4], confidence=CONFIDENCE),
        latency_mean_s=latency,
        latency_p99_s=latency,
        volumes=[
            VolumeRecord(pod=f"load-{number}", node="n", rate=rate, latency_mean_s=None, latency_p99_s=None)
            for number, rate in enumerate(rates)
        ],
        clock_spread_s=clock_spread_s,
    )


def record(*steps: StepRecord, **more: Any) -> ScalingRecord:
    fields: dict[str, Any] = {
        "profile": PROFILE,
        "storage_class": "fast",
        "metric": "write.iops",
        "unit": "1/s",
        "confidence": CONFIDENCE,
        "steps": list(steps),
        "capacity": capacity({each.pods: each.total for each in steps}, confidence=CONFIDENCE),
    }
    return ScalingRecord(**(fields | more))


def saturated(**more: Any) -> ScalingRecord:
    """C is 3,600 IOPS from 3 volumes on."""
    return record(step(1, 1200), step(3, 3600), step(6, 3630), step(9, 3570), **more)


def results(*found: ScalingRecord, verdicts: tuple[Verdict, ...] = (), **more: Any) -> Results:
    run = Run(id="r", started=NOW, finished=NOW, complete=True, suite_version="1", exit_status=0)
    fields: dict[str, Any] = {
        "run": run,
        "cluster": None,
        "settings": {"tier": "baseline", "volume_size": 1024, "test_size": 1024},
        "measurements": [],
        "steps": [],
        "scaling": list(found),
        "verdicts": list(verdicts),
        "tier_limits": 1,
        "errors": [],
        "overall": "pass",
    }
    return Results(**(fields | more))


def section(found: ScalingRecord, *verdicts: Verdict) -> Part:
    _, only = scaling_parts(results(found, verdicts=verdicts))
    return only


def said(found: ScalingRecord, begin: str) -> str:
    """The only sentence that begins so."""
    (sentence,) = [each for each in sentences_of(section(found)) if each.startswith(begin)]
    return sentence


def limit(kind: Kind, value: float = 0.5, **more: Any) -> Limit:
    metric = Metric.parse("write.latency.mean" if kind == "latency_growth" else "write.iops")
    return scaling_limit(PROFILE, metric, kind, value, because="so.", **more)


def test_without_scale_runs_nothing_is_said_of_them() -> None:
    assert "Many volumes" not in render_summary(results())


def test_each_step_is_a_row() -> None:
    html = render_summary(results(saturated()))
    assert html.count("<svg") == 2
    assert "<svg" not in render_summary(results(record(step(1, 1200))))
    assert f"<h3>{PROFILE} on fast</h3>" in html
    ((_, row, *_),) = tables_of(section(saturated()))
    assert (row["Volumes"], row["Each, write.iops"], row["Smallest to largest"]) == (
        "3",
        "1,200 IOPS",
        "600 IOPS to 1,800 IOPS",
    )
    assert row["Together"] == "3,600 IOPS (3,479 IOPS to 3,725 IOPS)"
    assert (row["Latency, mean"], row["Latency, p99"]) == ("2 ms", "2 ms")
    for shown in ("1,200 IOPS", "600 IOPS to 1,800 IOPS", row["Together"], "2 ms"):
        assert f'<td class="number">{shown}</td>' in html


def test_pictures_show_the_total_and_the_share_of_each_and_the_capacity_where_it_is_known() -> None:
    together, each = pictures_of(section(saturated()))
    assert together.text == "Together: 1,200 IOPS at 1, 3,600 IOPS at 3, 3,630 IOPS at 6, 3,570 IOPS at 9."
    assert each.text == "Each: 1,200 IOPS at 1, 1,200 IOPS at 3, 605 IOPS at 6, 396.7 IOPS at 9."
    assert "capacity C" in together.svg and "C / volumes" in each.svg and "Dashed" in each.caption
    growing, _ = pictures_of(section(record(step(1, 1200), step(3, 3600))))
    assert "capacity" not in growing.svg and "Dashed" not in growing.caption
    assert pictures_of(section(record(step(1, 0.0), step(3, 0.0)))) == []


def of_many(found: ScalingRecord, *limits: Limit) -> list[Verdict]:
    return [judge_scaling(found, each).model_copy(update={"subject": "many-volumes"}) for each in limits]


def test_limits_are_lines_in_the_pictures_where_they_are_asked_for() -> None:
    found = saturated()
    own = of_many(found, limit("total_at_last_step", 0.7), limit("latency_growth", 5.0))
    together, each = pictures_of(section(found, *own))
    assert "stroke-limit" in together.svg and "stroke-limit" not in each.svg
    assert together.text.endswith(" Limit: at least 70 % of the total at 3, 2,520 IOPS.")
    own = of_many(found, limit("per_volume", 350.0, pods=9))
    together, each = pictures_of(section(found, *own))
    assert "stroke-limit" not in together.svg and "stroke-limit" in each.svg
    assert each.text.endswith(" Limit: each of 9 volumes at least 350 IOPS.")
    _, each = pictures_of(section(found, *of_many(found, limit("per_volume", 9e6, pods=9))))
    assert "stroke-limit" not in each.svg and each.text.endswith(", which is above the chart.")


def test_profiles_about_bandwidth_are_drawn_in_bytes() -> None:
    steps = [step(pods, total * 1024.0**2) for pods, total in ((1, 100), (3, 300), (6, 300))]
    found = record(*steps, metric="write.bandwidth", unit="B/s", profile="sequential-write-bandwidth")
    together, _ = pictures_of(section(found))
    assert "100 MiB/s at 1" in together.text and "MiB/s" in together.svg


def test_a_step_of_one_volume_has_no_spread_and_a_profile_without_latency_says_so() -> None:
    ((row,),) = tables_of(section(record(step(1, 1200, latency_s=None))))
    assert row["Smallest to largest"] == ""
    assert row["Latency, mean"] == row["Latency, p99"] == "not measured"


def test_the_capacity_is_told_with_its_interval_and_where_it_begins() -> None:
    sentence = said(saturated(), "Capacity")
    assert sentence.startswith("Capacity: 3,600 IOPS (3,4")
    assert "From 3 volumes on, the total does not grow" in sentence
    assert "can get" not in sentence


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (record(step(1, 1200)), "not known, one step only"),
        (record(step(1, 1200), step(3, 3600)), "not known, the total still grew at 3 volumes"),
        (record(step(1, 1200), step(3, 1200)), "from two steps only, so without a CI). From 1 volume on,"),
    ],
)
def test_where_there_is_no_capacity_or_no_interval_it_says_why(found: ScalingRecord, why: str) -> None:
    assert why in said(found, "Capacity")


def test_a_set_rate_names_the_slowest_and_how_many_volumes_the_model_allows() -> None:
    shares = {"load-1": 0.991, "load-2": 0.962, "load-0": 1.001}
    reached = {
        pod: Figure(mean=each, low=each - 0.01, high=each + 0.01, batches=[each]) for pod, each in shares.items()
    }
    found = saturated(rate_limited=RateRecord(pods=3, rate=500, reached=reached))
    assert said(found, "At a set rate") == (
        "At a set rate: 3 volumes with a rate of 500 IOPS each (1,500 IOPS in all, 41.7 % of the capacity) did "
        "1,477 IOPS together. The least certain is load-2: it reached 96.2 % (95.2 % to 97.2 %) of its rate."
    )
    assert said(found, "Capacity").endswith("So 7 volumes can get 500 IOPS each.")


@pytest.mark.parametrize(("at_least", "named"), [(0.95, "The slowest is load-2"), (0.55, "The least certain is")])
def test_the_sentence_and_the_verdict_name_the_same_volume(at_least: float, named: str) -> None:
    """load-1 has the lowest bound; where both surely miss the limit, load-2 is the slower of them."""
    reached = {
        pod: Figure(mean=mean, low=low, high=high, batches=[mean])
        for pod, mean, low, high in (("load-1", 0.60, 0.50, 0.70), ("load-2", 0.55, 0.52, 0.58))
    }
    found = saturated(rate_limited=RateRecord(pods=2, rate=500, reached=reached))
    verdict = judge_scaling(found, limit("rate_limited", at_least)).model_copy(update={"subject": "many-volumes"})
    (sentence,) = [each for each in sentences_of(section(found, verdict)) if each.startswith("At a set rate")]
    assert named in sentence
    pod = "load-2" if at_least > 0.9 else "load-1"
    assert pod in sentence and f"of {pod}, one of 2 volumes" in verdict.reason


def test_twice_the_nodes_are_told_with_both_totals() -> None:
    nodes = NodesRecord(on_fewer_nodes=step(2, 1000), on_more_nodes=step(4, 1900), fewer_nodes=1, more_nodes=2)
    sentence = said(saturated(nodes=nodes), "Twice")
    assert sentence.startswith("Twice the nodes: 2 volumes on 1 node did 1,000 IOPS (")
    assert " together, 4 volumes on 2 nodes 1,900 IOPS (" in sentence
    assert sentence.endswith(": 1.90x.")
    still = NodesRecord(on_fewer_nodes=step(2, 0), on_more_nodes=step(4, 0), fewer_nodes=1, more_nodes=2)
    assert "times as much" not in said(saturated(nodes=still), "Twice")


def test_a_run_that_failed_shows_what_it_had_and_what_ended_it() -> None:
    found = record(step(1, 1200), incomplete="pod load-2 failed in step 2")
    assert said(found, "Incomplete").endswith("pod load-2 failed in step 2")
    assert len(tables_of(section(found))[0]) == 1
    assert not any(sentence.startswith("Incomplete") for sentence in sentences_of(section(saturated())))


def test_it_says_what_counted_and_how_far_the_clocks_were_apart() -> None:
    found = record(step(1, 1200), step(3, 3600, clock_spread_s=0.25))
    assert sentences_of(section(found))[-1].startswith("In each step, the 20 s in which all volumes were loaded count")
    assert "differed by up to 250 ms" in sentences_of(section(found))[-1]


@pytest.mark.parametrize(("value", "status"), [(0.5, "pass"), (0.99, "inconclusive"), (2.0, "fail")])
def test_the_verdict_of_a_section_is_the_worst_of_its_own(value: float, status: Status) -> None:
    found = saturated()
    asked = (limit("latency_growth", 5.0), limit("total_at_last_step", value))
    own = [judge_scaling(found, each).model_copy(update={"subject": "many-volumes"}) for each in asked]
    of_one_volume = own[0].model_copy(update={"subject": "speed", "status": "fail"})
    of_another = own[0].model_copy(update={"storage_class": "slow", "status": "fail"})
    assert section(found, *own, of_one_volume, of_another).status == status
    assert section(found, of_one_volume, of_another).status is None


def test_the_comparison_of_single_volumes_has_nothing_of_scale_runs() -> None:
    estimate = Estimate(mean=1200, low=1200, high=1200, unit="1/s", samples=12)
    measured = Measurement(
        id="m",
        profile=PROFILE,
        storage_class="fast",
        role="candidate",
        node="n",
        pods=["p"],
        started=NOW,
        duration_s=12,
        fio_version="fio-3.33",
        metrics={"write.iops": estimate},
        series={},
        warnings=[],
    )
    failed = judge_scaling(saturated(), limit("total_at_last_step", 2.0))
    failed = failed.model_copy(update={"subject": "many-volumes"})
    (compared,) = comparisons(results(saturated(), verdicts=(failed,), measurements=[measured]))
    assert failed.status == "fail"
    assert [row.status for rows in compared.groups.values() for row in rows] == ["skipped"]
