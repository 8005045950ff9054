"""The plans of looks: what they promise of themselves, and that what decides keeps to them."""

from __future__ import annotations

import pytest

from acceptance.findings import metric_ratio
from acceptance.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.looks import ALONE, DURABLE, IN_TURN, LookPlan
from acceptance.measuring.metric_values import metric_estimate
from acceptance.metrics import Metric
from acceptance.ratios import Round, ratio
from acceptance.statistics import MINIMUM_BATCHES, interval

IOPS = Metric.parse("write.iops")


def writes(ios: int) -> Sample:
    counts = {direction: Counts() for direction in DIRECTIONS}
    return Sample(duration_s=1.0, counts=counts | {"write": Counts(ios=ios)})


def test_a_plan_splits_its_budget_and_fits_both_forms_of_measuring() -> None:
    assert (DURABLE.seconds, DURABLE.rounds, DURABLE.cap) == ((40, 60), (4, 6), 60)
    assert DURABLE.confidence == pytest.approx(0.99)
    assert LookPlan(seconds=(60,)).confidence == pytest.approx(0.98)


@pytest.mark.parametrize("plan", [DURABLE, IN_TURN, ALONE])
def test_every_look_has_the_batches_that_an_interval_needs(plan: LookPlan) -> None:
    assert plan.seconds[0] // plan.batch_s >= MINIMUM_BATCHES
    assert plan.confidence == pytest.approx(1 - 0.02 / len(plan.seconds))


@pytest.mark.parametrize("plan", [DURABLE, IN_TURN])
def test_looks_at_classes_in_turn_are_after_each_began_as_often_as_the_other(plan: LookPlan) -> None:
    assert not any(rounds % 2 for rounds in plan.rounds)


def test_a_plan_s_allowance_is_in_the_intervals_that_decide() -> None:
    rates = [10, 20, 20, 10]
    ours = [[writes(rate) for rate in rates[:2]], [writes(rate) for rate in rates[2:]]]
    theirs = [[writes(10)] * 2] * 2
    wider = interval(rates, confidence=IN_TURN.confidence, correlation=IN_TURN.batch_correlation)
    estimated = metric_estimate(IOPS, ours, plan=IN_TURN, confidence=IN_TURN.confidence)
    assert estimated is not None
    assert (estimated.low, estimated.high) == pytest.approx(wider[1:])
    rounds = [Round([10, 10], rates[:2]), Round([10, 10], rates[2:])]
    compared = metric_ratio(IOPS, ours, theirs, plan=IN_TURN)
    assert compared == ratio(rounds, confidence=IN_TURN.confidence, correlation=IN_TURN.batch_correlation)
    assert compared != ratio(rounds, confidence=IN_TURN.confidence)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": ()},
        {"seconds": (36, 36)},
        {"seconds": (0, 36)},
        {"seconds": (30, 60)},
        {"batch_s": 5},
        {"wrong_pass": 0.0},
        {"wrong_pass": 0.6},
        {"batch_correlation": 1.0},
        {"batch_correlation": -0.1},
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="wanted"):
        LookPlan(**{"seconds": (36, 60)} | wrong)  # type: ignore[arg-type]
