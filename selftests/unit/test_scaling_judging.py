"""Judging many volumes: certain or none, the reason names what was measured and what was expected."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.scaling import judge_scaling, skip_judging
from acceptance.limits.limit import Limit
from acceptance.limits.scaling import Kind, scaling_limit
from acceptance.measuring.figures import figure
from acceptance.results.metrics import Metric
from acceptance.results.scaling import NodesRecord, RateRecord, ScalingRecord, StepRecord, VolumeRecord
from acceptance.statistics.step_analyses import CONFIDENCE
from acceptance.trials.scaling.model import capacity

PROFILE = "random-write-iops"
IOPS = Metric.parse("write.iops")


def wavering(mean: float, share: float = 0.05) -> list[float]:
    return [mean * (1 + share * sign) for sign in (-1, 1, -1, 1, 0, 1, -1, 0)]


def volume(pod: str, rate: float, share: float = 0.05) -> VolumeRecord:
    found = figure(wavering(rate, share), confidence=CONFIDENCE)
    return VolumeRecord(
        pod=pod, node="n", rate=rate, low=found.low, high=found.high, latency_mean_s=None, latency_p99_s=None
    )


def step(pods: int, total: float, latency_s: float = 0.002, share: float = 0.05) -> StepRecord:
    return StepRecord(
        pods=pods,
        window_s=8,
        batch_s=1,
        total=figure(wavering(total, share), confidence=CONFIDENCE),
        latency_mean_s=figure(wavering(latency_s), confidence=CONFIDENCE),
        latency_p99_s=figure(wavering(latency_s * 5), confidence=CONFIDENCE),
        volumes=[volume(f"load-{index}", total / pods, share) for index in range(pods)],
        clock_spread_s=0,
    )


def record(*steps: StepRecord, **more: Any) -> ScalingRecord:
    return ScalingRecord(
        profile=PROFILE,
        storage_class="fast",
        metric=IOPS.path,
        unit="1/s",
        confidence=CONFIDENCE,
        steps=list(steps),
        capacity=capacity({each.pods: each.total for each in steps}, confidence=CONFIDENCE),
        **more,
    )


def limit(kind: Kind, value: float, metric: str = "write.iops", **more: Any) -> Limit:
    return scaling_limit(PROFILE, Metric.parse(metric), kind, value, because="many share it.", **more)


def status(found: ScalingRecord, asked: Limit) -> str:
    return judge_scaling(found, asked).status


@pytest.mark.parametrize(("last", "expected"), [(1000, "pass"), (400, "fail"), (700, "inconclusive")])
def test_total_at_the_last_step_against_the_plateau(last: float, expected: str) -> None:
    found = record(step(1, 500), step(3, 1000), step(6, 1000), step(9, last))
    assert status(found, limit("total_at_last_step", 0.7)) == expected


def test_last_total_is_compared_with_the_plateau_not_with_the_step_before() -> None:
    """It breaks down in two halves, each of which would do by itself."""
    found = record(step(3, 1000), step(6, 720), step(9, 520))
    verdict = judge_scaling(found, limit("total_at_last_step", 0.7))
    assert verdict.status == "fail"
    assert verdict.measured == pytest.approx(0.52)
    assert "total of 9 volumes (520 IOPS) as a share of that of 3" in verdict.reason
    assert verdict.reason.endswith("misses the limit of at least 70 % (reason for the limit: many share it).")


def test_total_that_still_grows_passes_and_says_so() -> None:
    verdict = judge_scaling(record(step(1, 500), step(3, 1500)), limit("total_at_last_step", 0.9))
    assert verdict.status == "pass"
    assert "after which it still grew" in verdict.reason


@pytest.mark.parametrize(("wanted", "expected"), [(90, "pass"), (111, "inconclusive"), (150, "fail")])
def test_each_volume_against_its_limit(wanted: float, expected: str) -> None:
    found = record(step(1, 500), step(9, 1000))
    verdict = judge_scaling(found, limit("per_volume", wanted, pods=9))
    assert verdict.status == expected
    assert verdict.unit == "1/s" and verdict.measured == pytest.approx(1000 / 9)
    assert "of load-0, one of 9 volumes loaded at the same time (their mean is 111.1 IOPS)" in verdict.reason


@pytest.mark.parametrize(("slowest", "expected"), [(400, "pass"), (0, "fail"), (100, "fail"), (355, "inconclusive")])
def test_one_slow_volume_is_not_hidden_by_the_others(slowest: float, expected: str) -> None:
    """14 do 400, one does less: their mean is above the limit of 350 whatever it does."""
    volumes = [volume("slow", slowest), *(volume(f"load-{index}", 400) for index in range(14))]
    found = record(step(15, 14 * 400 + slowest).model_copy(update={"volumes": volumes}))
    verdict = judge_scaling(found, limit("per_volume", 350, pods=15))
    assert (verdict.status, verdict.measured) == (expected, slowest)
    assert "of slow, one of 15 volumes" in verdict.reason


def test_volumes_without_an_interval_are_inconclusive() -> None:
    short = step(3, 900)
    volumes = [*short.volumes[:2], short.volumes[2].model_copy(update={"low": None, "high": None})]
    found = record(short.model_copy(update={"volumes": volumes}))
    verdict = judge_scaling(found, limit("per_volume", 1, pods=3))
    assert verdict.status == "inconclusive" and "--storage-scale window" in verdict.reason


def test_a_step_that_was_not_run_is_inconclusive_and_names_the_option() -> None:
    verdict = judge_scaling(record(step(1, 500), step(3, 900)), limit("per_volume", 1, pods=15))
    assert verdict.status == "inconclusive"
    assert "has no step of 15 volumes, only of 1, 3" in verdict.reason and "--storage-scale steps" in verdict.reason


@pytest.mark.parametrize(
    ("metric", "allowed", "expected"),
    [
        ("write.latency.mean", 12, "pass"),
        ("write.latency.mean", 8, "fail"),
        ("write.latency.mean", 10, "inconclusive"),
        ("write.latency.p99", 12, "pass"),
    ],
)
def test_latency_growth(metric: str, allowed: float, expected: str) -> None:
    found = record(step(1, 500, 0.001), step(15, 1000, 0.010))
    verdict = judge_scaling(found, limit("latency_growth", allowed, metric))
    assert verdict.status == expected
    assert f"{metric}, mean over volumes, at the last step at most" in verdict.limit
    assert "mean over 15 volumes (" in verdict.reason


def test_profile_without_latency_cannot_be_judged_on_it() -> None:
    silent = step(1, 500).model_copy(update={"latency_mean_s": None})
    verdict = judge_scaling(record(silent, step(3, 900)), limit("latency_growth", 2, "write.latency.mean"))
    assert verdict.status == "inconclusive"
    assert "has no write.latency.mean" in verdict.reason


def rates(**reached: float) -> RateRecord:
    shares = {pod: figure(wavering(each, 0.002), confidence=CONFIDENCE) for pod, each in reached.items()}
    return RateRecord(pods=len(shares), rate=100, reached=shares)


def test_every_volume_must_reach_its_rate() -> None:
    asked = limit("rate_limited", 0.98, of_capacity=0.8)
    assert status(record(rate_limited=rates(a=1.0, b=0.995)), asked) == "pass"
    verdict = judge_scaling(record(rate_limited=rates(a=0.9, b=1.0, c=1.0, d=1.0)), asked)
    assert verdict.status == "fail"
    assert "of a, one of 4 volumes with a set rate of 100 IOPS each (400 IOPS in total)" in verdict.reason


def test_the_volume_that_is_least_certain_decides_a_pass() -> None:
    """Its mean is the higher one, but it wavers across the limit."""
    shares = {
        "steady": figure(wavering(0.99, 0.001), confidence=CONFIDENCE),
        "wavering": figure(wavering(1.0, 0.2), confidence=CONFIDENCE),
    }
    found = record(rate_limited=RateRecord(pods=2, rate=100, reached=shares))
    assert status(found, limit("rate_limited", 0.98)) == "inconclusive"


def test_a_rate_above_what_the_storage_can_do_says_so() -> None:
    verdict = judge_scaling(record(rate_limited=rates(a=0.5, b=0.5)), limit("rate_limited", 0.98))
    assert verdict.status == "fail"
    assert "all together reached 100 IOPS: the total rate exceeds what the storage can do" in verdict.reason


@pytest.mark.parametrize(("many", "expected"), [(2200, "pass"), (1400, "fail"), (1820, "inconclusive")])
def test_total_on_twice_the_nodes(many: float, expected: str) -> None:
    nodes = NodesRecord(on_fewer_nodes=step(15, 1000), on_more_nodes=step(30, many), fewer_nodes=3, more_nodes=6)
    assert status(record(nodes=nodes), limit("node_scaling", 1.8)) == expected


@pytest.mark.parametrize("kind", ["rate_limited", "node_scaling"])
def test_what_was_not_run_is_inconclusive(kind: Kind) -> None:
    assert status(record(), limit(kind, 0.9)) == "inconclusive"


def test_one_step_alone_is_inconclusive() -> None:
    for asked in (limit("total_at_last_step", 0.9), limit("latency_growth", 2, "write.latency.mean")):
        assert status(record(step(3, 100)), asked) == "inconclusive"


def test_figures_without_a_limit_are_no_verdict() -> None:
    verdict = skip_judging(record(step(1, 500), step(3, 900)))
    assert verdict.status == "skipped"
    assert "1: 500 IOPS, 3: 900 IOPS" in verdict.reason


def test_ids_of_two_steps_of_a_limit_differ() -> None:
    found = record(step(1, 500), step(3, 900))
    ids = {judge_scaling(found, limit("per_volume", 1, pods=pods)).id for pods in (1, 3)}
    assert len(ids) == 2


GROWN = record(step(1, 500), step(3, 900))
NODES = NodesRecord(on_fewer_nodes=step(15, 1000), on_more_nodes=step(30, 2200), fewer_nodes=3, more_nodes=6)
NONE_KNOWN = RateRecord(pods=2, rate=100, reached={})
LATENCY = "write.latency.mean"


@pytest.mark.parametrize(
    ("found", "asked", "code", "facts"),
    [
        (record(step(3, 100)), limit("total_at_last_step", 0.9), "one_step", {}),
        (GROWN, limit("per_volume", 1, pods=15), "no_such_step", {"steps": [1, 3]}),
        (
            record(rate_limited=NONE_KNOWN),
            limit("rate_limited", 1),
            "too_few_seconds",
            {},
        ),
        (GROWN, limit("rate_limited", 1), "no_set_rate", {}),
        (GROWN, limit("node_scaling", 1.8), "no_more_nodes", {}),
        (
            record(*(each.model_copy(update={"latency_mean_s": None}) for each in GROWN.steps)),
            limit("latency_growth", 2, LATENCY),
            "no_latency",
            {},
        ),
        (
            GROWN,
            limit("total_at_last_step", 0.9),
            "within",
            {"volumes": 3, "total": 900.0, "before_volumes": 1, "still_grew": True},
        ),
        (GROWN, limit("per_volume", 400, pods=3), "outside", {"pod": "load-0", "mean_of_all": 300.0}),
        (
            GROWN,
            limit("latency_growth", 1, LATENCY),
            "on_both_sides",
            {"volumes": 3, "latency_s": 0.002, "before_volumes": 1, "before_latency_s": 0.002},
        ),
        (
            record(rate_limited=rates(a=0.5, b=0.5)),
            limit("rate_limited", 0.98),
            "outside",
            {"pod": "a", "volumes": 2, "rate": 100.0, "together": 100.0},
        ),
        (
            record(nodes=NODES),
            limit("node_scaling", 1.8),
            "within",
            {
                "nodes": 6,
                "volumes": 30,
                "total": 2200.0,
                "before_nodes": 3,
                "before_volumes": 15,
                "before_total": 1000.0,
            },
        ),
    ],
)
def test_what_was_found_is_data(found: ScalingRecord, asked: Limit, code: str, facts: dict[str, Any]) -> None:
    outcome = judge_scaling(found, asked).outcome
    near = {name: pytest.approx(each) if isinstance(each, float) else each for name, each in facts.items()}
    assert outcome is not None and (outcome.code, outcome.facts) == (f"scaling.{code}", near)


def test_what_stalled_and_what_has_no_limit_is_data() -> None:
    stalled = judge_scaling(record(step(1, 0), step(3, 0)), limit("total_at_last_step", 0.9)).outcome
    assert stalled is not None and (stalled.code, stalled.facts) == ("scaling.stalled", {})
    known = record(step(1, 500), step(3, 500), rate_limited=rates(a=1.0, b=1.0))
    asked = judge_scaling(known, limit("rate_limited", 0.9)).outcome
    assert asked is not None and asked.facts["capacity"] == pytest.approx(500)
    open_ = skip_judging(GROWN).outcome
    totals = [{"pods": 1, "total": pytest.approx(500)}, {"pods": 3, "total": pytest.approx(900)}]
    assert open_ is not None and (open_.code, open_.facts) == (
        "scaling.unlimited",
        {"rate": "write.iops", "totals": totals},
    )
