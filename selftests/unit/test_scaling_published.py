"""Golden: the figures of the Longhorn 1.6 reference report on many volumes give what the report concludes from them."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.scaling import judge_scaling
from acceptance.limits.limit import Limit
from acceptance.limits.scaling import Kind, scaling_limit
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure, NodesRecord, RateRecord, ScalingRecord, StepRecord
from acceptance.trials.scaling.model import capacity, volumes_at
from acceptance.trials.scaling.step_records import CONFIDENCE, default_metric
from selftests.unit.published_figures import published, said_in_limits

PUBLISHED = published("many_volumes")
# The report's own rounding of its constants: 62385 to 61500 is 1.4 %, 31740 to 31500 is 0.8 %.
ROUNDING = 0.02
# By how much a step of the report is off what the other steps say of it: 3 %, and room.
OFF_THE_MODEL = 0.05
MANY = 51

Figures = dict[str, Any]


def exactly(value: float) -> Figure:
    """A published figure: a mean without an interval."""
    return Figure(mean=value, low=None, high=None, batches=[value])


def steadily(value: float) -> Figure:
    """The same as if every second of a window had shown it."""
    return Figure(mean=value, low=value, high=value, batches=[value] * 10)


def constant(totals: dict[int, float]) -> float:
    """C of the capacity model, from the totals by number of volumes."""
    found = capacity({pods: exactly(total) for pods, total in totals.items()}, confidence=CONFIDENCE)
    assert found is not None
    return found.constant.mean


def totals(figures: Figures, profile: str) -> dict[int, float]:
    return {pods: pods * each for pods, each in figures["per_volume"][profile].items()}


def capacity_is_the_published_constant(figures: Figures) -> None:
    for profile, published_constant in figures["capacity"].items():
        assert constant(totals(figures, profile)) == pytest.approx(published_constant, rel=ROUNDING)


def each_step_is_what_the_model_makes_of_the_others(figures: Figures) -> None:
    """x = C / y: the use that is made of the model."""
    for profile, steps in figures["per_volume"].items():
        for pods, each in steps.items():
            others = {other: total for other, total in totals(figures, profile).items() if other != pods}
            assert constant(others) / pods == pytest.approx(each, rel=OFF_THE_MODEL), (profile, pods)


def rates_are_the_capacity_shared_by_51(figures: Figures) -> None:
    """The report asks each of 51 volumes for what its model predicts, rounded down; all reach 98.2 % of it at least."""
    shares = []
    for profile, (asked, reached, reached_by_all) in figures["rate_limited"].items():
        assert figures["capacity"][profile] / MANY == pytest.approx(asked, rel=0.01)
        assert volumes_at(figures["capacity"][profile], demand=asked) == MANY
        assert MANY * reached == pytest.approx(reached_by_all, rel=0.001)
        verdict = judge_scaling(rate_limited(profile, asked, reached), limit(profile, "rate_limited", 0.98))
        assert verdict.status == "pass", verdict.reason
        assert verdict.measured == pytest.approx(1, abs=0.02)
        shares.append(verdict.measured or 0.0)
    assert said_in_limits(f"whose rate-limited volumes reach {100 * min(shares):.1f} % of their rate at least")


def totals_double_with_the_nodes(figures: Figures) -> None:
    for profile, (each, total) in figures["twice_the_nodes"].items():
        assert 30 * each == pytest.approx(total, rel=0.001)
        nodes = NodesRecord(
            on_fewer_nodes=step(15, totals(figures, profile)[15]),
            on_more_nodes=step(30, total),
            fewer_nodes=3,
            more_nodes=6,
        )
        verdict = judge_scaling(record(profile, nodes=nodes), limit(profile, "node_scaling", 1.9))
        assert verdict.status == "pass", verdict.reason
        assert verdict.measured == pytest.approx(2, rel=0.02)


def latency_of_saturated_volumes_is_their_share_of_the_capacity(figures: Figures) -> None:
    """With one request at a time each (Little's law), y volumes do y / latency together; that levels off like IOPS.

    Requests in sequence are not joined at depth 1, so the capacity of both is that at random.
    """
    for load, by_volumes in figures["latency"].items():
        done = {pods: pods / (ns / 1e9) for pods, ns in by_volumes.items()}
        random_iops = figures["capacity"][f"random-{load.partition('-')[2]}-iops"]
        assert constant(done) == pytest.approx(random_iops, rel=0.04)
        for pods, ns in by_volumes.items():
            others = {other: rate for other, rate in done.items() if other != pods}
            if pods > 1:
                assert pods / constant(others) == pytest.approx(ns / 1e9, rel=OFF_THE_MODEL), (load, pods)


def latency_grows_as_the_report_shows(figures: Figures) -> None:
    """Flat until the devices saturate, then in proportion: at 51 volumes about twice (reads), five times (writes)."""
    for load, by_volumes in figures["latency"].items():
        metric = Metric.parse(f"{load.partition('-')[2]}.latency.mean")
        steps = [step(pods, 1, ns / 1e9) for pods, ns in by_volumes.items()]
        growth = 2.2 if "read" in load else 4.8
        found = record(f"{load}-latency", steps=steps)
        for allowed, status in ((growth * 1.05, "pass"), (growth * 0.93, "fail")):
            verdict = judge_scaling(found, limit(found.profile, "latency_growth", allowed, metric=metric))
            assert verdict.status == status, verdict.reason


def latencies_are_those_that_limits_name(figures: Figures) -> None:
    read, write = (figures["latency"][f"random-{direction}"] for direction in ("read", "write"))
    alone = f"{read[1] / 1e6:.2f} ms for reads and {write[1] / 1e6:.2f} ms for writes"
    assert said_in_limits(f"(The Longhorn report has {alone}.)")
    assert said_in_limits(f"whose latency at 15 volumes is {write[15] / write[1]:.1f} times that of one")


COMPARISONS = (
    capacity_is_the_published_constant,
    each_step_is_what_the_model_makes_of_the_others,
    rates_are_the_capacity_shared_by_51,
    totals_double_with_the_nodes,
    latency_of_saturated_volumes_is_their_share_of_the_capacity,
    latency_grows_as_the_report_shows,
    latencies_are_those_that_limits_name,
)


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.__name__)
def test_published_volumes(comparison: Any) -> None:
    comparison(PUBLISHED)


def record(profile: str, **more: Any) -> ScalingRecord:
    return ScalingRecord(
        profile=profile,
        storage_class="longhorn",
        metric=default_metric(profile).path,
        unit="1/s" if profile.endswith("iops") else "B/s",
        confidence=CONFIDENCE,
        **({"steps": [], "capacity": None} | more),
    )


def rate_limited(profile: str, asked: float, reached: float) -> ScalingRecord:
    each = {f"load-{number}": steadily(reached / asked) for number in range(MANY)}
    return record(profile, rate_limited=RateRecord(pods=MANY, rate=asked, reached=each))


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


def limit(profile: str, kind: Kind, value: float, **more: Any) -> Limit:
    metric = more.pop("metric", default_metric(profile))
    return scaling_limit(profile, metric, kind, value, because="the report says so", **more)


def stepped(profile: str, found: dict[int, float]) -> ScalingRecord:
    """Steps with these totals."""
    figures = {pods: exactly(total) for pods, total in found.items()}
    steps = [step(pods, total) for pods, total in found.items()]
    return record(profile, steps=steps, capacity=capacity(figures, confidence=CONFIDENCE))


@pytest.mark.parametrize("profile", PUBLISHED["per_volume"])
def test_total_at_the_last_published_step_is_that_of_the_plateau(profile: str) -> None:
    verdict = judge_scaling(stepped(profile, totals(PUBLISHED, profile)), limit(profile, "total_at_last_step", 0.9))
    assert verdict.status == "pass", verdict.reason
    assert verdict.measured == pytest.approx(1, abs=0.06)


def test_a_total_that_breaks_down_fails() -> None:
    """The published figures, but with the last step at half of what it was."""
    found = totals(PUBLISHED, "random-write-iops")
    found[15] /= 2
    verdict = judge_scaling(stepped("random-write-iops", found), limit("random-write-iops", "total_at_last_step", 0.9))
    assert verdict.status == "fail"
    assert "total of 15 volumes" in verdict.reason and "the report says so" in verdict.reason
