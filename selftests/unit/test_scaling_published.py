"""Golden: the figures of the Longhorn 1.6 reference report on many volumes give what the report concludes from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.judging.scaling import judge_scaling
from acceptance.limits.scaling import Kind, ScalingLimit
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure, NodesRecord, RateRecord, ScalingRecord, StepRecord
from acceptance.trials.scaling.model import capacity, plateau, volumes_at
from acceptance.trials.scaling.step_records import CONFIDENCE, default_metric

PUBLISHED: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "published" / "many_volumes.yaml").read_text())
PROFILES = sorted(PUBLISHED["per_volume"])
# The report's own rounding of its constants: 62385 to 61500 is 1.4 %, 31740 to 31500 is 0.8 %.
ROUNDING = 0.02
# Where the published figures level off, read from them by eye: from here on totals differ by 5 % at most.
LEVEL_FROM = {
    "random-read-iops": 3,
    "sequential-read-iops": 6,
    "random-read-bandwidth": 3,
    "sequential-read-bandwidth": 3,
    "random-write-iops": 6,
    "sequential-write-iops": 6,
    "random-write-bandwidth": 6,
    "sequential-write-bandwidth": 3,
}


def exactly(value: float) -> Figure:
    """A published figure: a mean without an interval."""
    return Figure(mean=value, low=None, high=None, batches=[value])


def steadily(value: float) -> Figure:
    """The same as if every second of a window had shown it."""
    return Figure(mean=value, low=value, high=value, batches=[value] * 10)


def totals(profile: str) -> dict[int, Figure]:
    return {pods: exactly(pods * each) for pods, each in PUBLISHED["per_volume"][profile].items()}


@pytest.mark.parametrize("profile", PROFILES)
def test_capacity_is_the_published_constant(profile: str) -> None:
    found = capacity(totals(profile), confidence=CONFIDENCE)
    assert found is not None
    assert found.constant.mean == pytest.approx(PUBLISHED["capacity"][profile], rel=ROUNDING)
    assert found.constant.low is not None and found.constant.high is not None
    assert found.constant.low < found.constant.mean < found.constant.high


@pytest.mark.parametrize("profile", PROFILES)
def test_plateau_begins_where_the_published_totals_level_off(profile: str) -> None:
    assert plateau(totals(profile)) == LEVEL_FROM[profile]


@pytest.mark.parametrize("profile", PROFILES)
def test_published_rates_are_the_capacity_shared_by_51(profile: str) -> None:
    """The report asks each of 51 volumes for what its model predicts, rounded down."""
    asked, _, reached_by_all = PUBLISHED["rate_limited"][profile]
    constant = PUBLISHED["capacity"][profile]
    assert constant / 51 == pytest.approx(asked, rel=0.01)
    assert volumes_at(constant, demand=asked) == 51
    assert reached_by_all == pytest.approx(constant, rel=ROUNDING)


def record(profile: str, **more: Any) -> ScalingRecord:
    return ScalingRecord(
        profile=profile,
        storage_class="longhorn",
        metric=default_metric(profile).path,
        unit="1/s" if profile.endswith("iops") else "B/s",
        confidence=CONFIDENCE,
        **({"steps": [], "capacity": None} | more),
    )


def step(pods: int, total: float, latency_s: float | None = None) -> StepRecord:
    return StepRecord(
        pods=pods,
        window_s=10,
        batch_s=1,
        total=steadily(total),
        latency_mean_s=None if latency_s is None else steadily(latency_s),
        latency_p99_s=None,
        volumes=[],
        clock_spread_s=0,
    )


def limit(profile: str, kind: Kind, value: float, **more: Any) -> ScalingLimit:
    metric = more.pop("metric", default_metric(profile))
    return ScalingLimit(profile=profile, metric=metric, kind=kind, value=value, because="the report says so", **more)


@pytest.mark.parametrize("profile", PROFILES)
def test_total_at_the_last_published_step_is_that_of_the_plateau(profile: str) -> None:
    steps = [step(pods, total.mean) for pods, total in totals(profile).items()]
    found = record(profile, steps=steps, capacity=capacity(totals(profile), confidence=CONFIDENCE))
    verdict = judge_scaling(found, limit(profile, "total_at_last_step", 0.9))
    assert verdict.status == "pass", verdict.reason
    assert verdict.measured == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("profile", PROFILES)
def test_published_rate_limited_volumes_reach_98_percent(profile: str) -> None:
    asked, reached, _ = PUBLISHED["rate_limited"][profile]
    rates = RateRecord(pods=51, rate=asked, reached={f"load-{each}": steadily(reached / asked) for each in range(51)})
    verdict = judge_scaling(record(profile, rate_limited=rates), limit(profile, "rate_limited", 0.98))
    assert verdict.status == "pass", verdict.reason


@pytest.mark.parametrize("profile", sorted(PUBLISHED["nodes"]))
def test_published_totals_double_with_the_nodes(profile: str) -> None:
    (few_nodes, few_pods, few_each, few), (many_nodes, many_pods, _, many) = PUBLISHED["nodes"][profile]
    assert few == pytest.approx(few_pods * few_each, rel=0.001)
    nodes = NodesRecord(
        on_fewer_nodes=step(few_pods, few),
        on_more_nodes=step(many_pods, many),
        fewer_nodes=few_nodes,
        more_nodes=many_nodes,
    )
    verdict = judge_scaling(record(profile, nodes=nodes), limit(profile, "node_scaling", 1.9))
    assert verdict.status == "pass", verdict.reason
    assert verdict.measured == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("load", ["random-read", "sequential-read", "random-write", "sequential-write"])
def test_published_latency_grows_as_the_report_shows(load: str) -> None:
    """Flat until the devices saturate, then in proportion: at 51 volumes about twice (reads), five times (writes)."""
    profile, pods = f"{load}-latency", PUBLISHED["latency"]["volumes"]
    steps = [step(each, 1, ns / 1e9) for each, ns in zip(pods, PUBLISHED["latency"][load], strict=True)]
    metric = Metric.parse(f"{load.partition('-')[2]}.latency.mean")
    growth = 2.2 if "read" in load else 4.8
    for allowed, status in ((growth * 1.05, "pass"), (growth * 0.9, "fail")):
        verdict = judge_scaling(record(profile, steps=steps), limit(profile, "latency_growth", allowed, metric=metric))
        assert verdict.status == status, verdict.reason


def test_a_total_that_breaks_down_fails() -> None:
    """The published figures, but with the last step at half of what it was."""
    found = totals("random-write-iops")
    found[15] = exactly(found[15].mean / 2)
    steps = [step(pods, total.mean) for pods, total in found.items()]
    broken = record("random-write-iops", steps=steps, capacity=capacity(found, confidence=CONFIDENCE))
    verdict = judge_scaling(broken, limit("random-write-iops", "total_at_last_step", 0.9))
    assert verdict.status == "fail"
    assert "total of 15 volumes" in verdict.reason and "the report says so" in verdict.reason
