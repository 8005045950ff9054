"""The plans of looks: what they promise of themselves, and that what decides keeps to them."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

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
    LONGEST_S,
    UNJUDGED_S,
    AnalysisPlan,
    plan_for,
)
from acceptance.statistics.intervals import MINIMUM_BATCHES, interval
from acceptance.statistics.looks import EarlyLook
from acceptance.statistics.overlapping_looks import chance_of_any
from acceptance.statistics.ratios import of_equal_weight, ratio

IOPS = Metric.parse("write.iops")


def writes(ios: int) -> Sample:
    counts = {direction: Counts() for direction in DIRECTIONS}
    return Sample(duration_s=1.0, counts=counts | {"write": Counts(ios=ios)})


LONG = [plan_for(durable=durable, in_turn=in_turn) for durable in (True, False) for in_turn in (True, False)]
PLANS = pytest.mark.parametrize("plan", [DURABLE, DURABLE_IN_TURN, IN_TURN, ALONE, *LONG])


def confidences(plan: AnalysisPlan) -> list[float]:
    return [plan.at(seconds).confidence for seconds in plan.looks]


def test_a_plan_splits_its_budget_between_its_looks() -> None:
    assert AnalysisPlan(seconds=(60,)).at(60).confidence == pytest.approx(0.98)
    assert confidences(AnalysisPlan(seconds=(20, 40, 60))) == pytest.approx([0.998, 0.998, 0.984])
    early = AnalysisPlan(seconds=(40, 60), early=EarlyLook(share=0.5))
    # A fifth is for the looks before the minute; what is left, for those from it on.
    assert confidences(early) == pytest.approx([0.98, 0.996, 0.994])
    # Seven looks from the minute on, with seven tenths: a seventh of that each would be 0.9980.
    long = confidences(plan_for(durable=True, in_turn=False))
    assert long == pytest.approx([0.98, 0.996, *[0.99695] * 7], abs=1e-5)


def test_a_look_before_the_others_decides_only_what_is_far_off() -> None:
    assert [(look.seconds, look.batch_s, look.beyond, look.early) for look in map(DURABLE.at, DURABLE.looks)] == [
        (4, 1, 3.0, True),
        (40, 4, 1.25, False),
        (60, 4, 1.0, False),
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
    for look, rounds in zip(map(plan.at, plan.looks), plan.rounds if plan.segments else plan.looks, strict=True):
        in_turn = sum(max(1, length // look.batch_s) for length in plan.segments[:rounds])
        assert (in_turn or look.seconds // look.batch_s) >= MINIMUM_BATCHES


@pytest.mark.parametrize("plan", [each for each in (DURABLE_IN_TURN, IN_TURN, *LONG) if each.segments])
def test_looks_at_classes_in_turn_are_after_each_began_as_often_as_the_other(plan: AnalysisPlan) -> None:
    assert not any(rounds % 2 for rounds in plan.rounds)


def test_a_plan_s_allowance_is_in_the_intervals_that_decide() -> None:
    rates = [10, 20, 20, 10]
    ours = [[writes(rate) for rate in rates[:2]], [writes(rate) for rate in rates[2:]]]
    theirs = [[writes(10)] * 2] * 2
    wider = interval(rates, confidence=IN_TURN.at(4).confidence, correlation=IN_TURN.batch_correlation)
    estimated = metric_estimate(IOPS, ours, plan=IN_TURN, confidence=IN_TURN.at(4).confidence)
    assert estimated is not None
    assert (estimated.low, estimated.high) == pytest.approx(wider[1:])
    rounds = [of_equal_weight([10, 10], rates[:2]), of_equal_weight([10, 10], rates[2:])]
    compared = metric_ratio(IOPS, ours, theirs, plan=IN_TURN)
    assert compared == ratio(rounds, confidence=IN_TURN.at(4).confidence, correlation=IN_TURN.batch_correlation)
    assert compared != ratio(rounds, confidence=IN_TURN.at(4).confidence)


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
        {"soon": 0.0},
        {"seconds": (52, 60)},
        {"batch_correlation": 1.0},
        {"batch_correlation": -0.1},
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        AnalysisPlan(**{"seconds": (36, 60)} | wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"beyond": 1.0}, {"share": 0.0}, {"share": 1.0}, {"batch_s": 3}])
def test_an_early_look_that_could_not_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        EarlyLook(**wrong)  # type: ignore[arg-type]


@PLANS
def test_all_looks_together_have_the_budget_and_no_more(plan: AnalysisPlan) -> None:
    soon = [seconds for seconds in plan.seconds if seconds < plan.whole_s]
    late = plan.seconds[len(soon) :]
    spent = sum(1 - plan.at(seconds).confidence for seconds in soon) / 2
    early = plan.early.share * plan.wrong_pass if plan.early else 0.0
    each = NormalDist().inv_cdf((1 + plan.at(plan.cap).confidence) / 2)
    assert spent + early + chance_of_any(late, beyond=each) == pytest.approx(plan.wrong_pass)


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("in_turn", [True, False])
def test_what_is_open_after_a_minute_goes_on_from_look_to_look(durable: bool, in_turn: bool) -> None:
    def looks(longest_s: float) -> tuple[int, ...]:
        plan = plan_for(durable=durable, in_turn=in_turn, longest_s=longest_s)
        assert plan.cap == sum(plan.segments) or not in_turn
        return plan.seconds[plan.seconds.index(60) + 1 :]

    assert [looks(each) for each in (60, 79, 80, 140, 200)] == [(), (), (80,), (80, 110, 140), (80, 110, 140, 200)]
    assert looks(LONGEST_S) == looks(309.9) == (80, 110, 140, 180, 230, 300)
    assert looks(1800)[5:] == (290, 370, 470, 590, 740, 930, 1170, 1800)


def test_batches_grow_with_a_load_without_a_pause_and_in_turn_they_are_turns() -> None:
    plans = [plan_for(durable=each, in_turn=turn) for each, turn in ((False, False), (False, True), (True, True))]
    alone, in_turn, durable = ([plan.at(seconds).batch_s for seconds in plan.looks] for plan in plans)
    assert alone == [1, 4, 4, 4, 4, 4, 5, 7, 9, 11, 15]
    assert [each >= max(plans[1].segments) for each in in_turn] == [False] * 2 + [True] * 9
    assert durable == [1, 5, 5, *[15] * 6]
    assert max(plans[2].segments) == 15


def test_each_class_begins_as_often_with_turns_of_each_length() -> None:
    for plan in LONG:
        assert plan.segments[::2] == plan.segments[1::2]


def test_a_look_is_known_by_its_seconds_though_some_are_lost() -> None:
    plan = plan_for(durable=False, in_turn=False)
    for early, look in ((3, 4), (13, 16), (48, 60), (59, 60), (72, 80), (240, 300), (310, 300)):
        assert plan.at(early) == replace(plan.at(look), seconds=early)
    assert [plan.is_whole(seconds) for seconds in (47, 48, 300)] == [False, True, True]
