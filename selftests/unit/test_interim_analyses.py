"""The plans of looks: what they promise of themselves, and that what decides keeps to them."""

from __future__ import annotations

import pytest

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.measuring.metric_values import metric_estimate
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import (
    ALONE,
    DURABLE,
    DURABLE_IN_TURN,
    IN_TURN,
    UNJUDGED_S,
    AnalysisPlan,
    EarlyLook,
)
from acceptance.statistics.intervals import MINIMUM_BATCHES, interval
from acceptance.statistics.ratios import Round, ratio

IOPS = Metric.parse("write.iops")


def writes(ios: int) -> Sample:
    counts = {direction: Counts() for direction in DIRECTIONS}
    return Sample(duration_s=1.0, counts=counts | {"write": Counts(ios=ios)})


PLANS = pytest.mark.parametrize("plan", [DURABLE, DURABLE_IN_TURN, IN_TURN, ALONE])


def test_a_plan_splits_its_budget_between_its_looks() -> None:
    assert AnalysisPlan(seconds=(60,)).confidence == pytest.approx(0.98)
    assert AnalysisPlan(seconds=(40, 60)).confidence == pytest.approx(0.99)
    early = AnalysisPlan(seconds=(40, 60), early=EarlyLook(share=0.5))
    assert [early.at(seconds).confidence for seconds in early.looks] == pytest.approx([0.98, 0.995, 0.995])


def test_a_look_before_the_others_decides_only_what_is_far_off() -> None:
    assert [(look.seconds, look.batch_s, look.beyond, look.early) for look in map(DURABLE.at, DURABLE.looks)] == [
        (4, 1, 3.0, True),
        (40, 5, 1.0, False),
        (60, 5, 1.0, False),
    ]
    assert not any(IN_TURN.at(seconds).early for seconds in IN_TURN.looks)


def test_what_ends_at_an_early_look_is_decided_within_seconds() -> None:
    assert (DURABLE.looks[0], ALONE.looks[0], IN_TURN.looks[0], DURABLE_IN_TURN.looks[0]) == (4, 4, 4, 10)


@PLANS
def test_what_nobody_judges_ends_at_no_early_look(plan: AnalysisPlan) -> None:
    assert not any(plan.at(seconds).early for seconds in plan.looks if seconds >= UNJUDGED_S)


def test_a_class_in_turn_waits_no_longer_for_its_last_looks_than_in_rounds_of_equal_length() -> None:
    assert (DURABLE_IN_TURN.looks, DURABLE_IN_TURN.rounds) == ((10, 40, 60), (2, 4, 6))
    assert DURABLE_IN_TURN.cap == DURABLE.cap == sum(DURABLE_IN_TURN.segments)


@PLANS
def test_every_look_has_the_batches_that_an_interval_needs(plan: AnalysisPlan) -> None:
    for look in map(plan.at, plan.looks):
        assert look.seconds // look.batch_s >= MINIMUM_BATCHES


@pytest.mark.parametrize("plan", [DURABLE_IN_TURN, IN_TURN])
def test_looks_at_classes_in_turn_are_after_each_began_as_often_as_the_other(plan: AnalysisPlan) -> None:
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
        {"seconds": (30, 60), "segments": (12,) * 5},
        {"segments": (10,) * 6, "seconds": (40, 60)},
        {"batch_s": 5},
        {"early": EarlyLook(seconds=36)},
        {"early": EarlyLook(seconds=4), "segments": (12,) * 5},
        {"wrong_pass": 0.0},
        {"wrong_pass": 0.6},
        {"batch_correlation": 1.0},
        {"batch_correlation": -0.1},
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="wanted"):
        AnalysisPlan(**{"seconds": (36, 60)} | wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"beyond": 1.0}, {"share": 0.0}, {"share": 1.0}, {"batch_s": 3}])
def test_an_early_look_that_could_not_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="wanted"):
        EarlyLook(**wrong)  # type: ignore[arg-type]
