"""`--storage-load time`: no load ends sooner, and no look is less sure than in the plan that it is taken from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.loads.profile_folder import find_profiles
from acceptance.measuring.batches import loaded_s
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.loads import plan_measurement
from acceptance.settings.run import read_settings
from acceptance.statistics.interim_analyses import (
    ALONE,
    DURABLE,
    DURABLE_IN_TURN,
    IN_TURN,
    AnalysisPlan,
    unjudged_plan,
)
from acceptance.text.errors import WrongUsage
from acceptance.trials.speed.runner import SpeedRunner
from selftests.unit.made_limits import tier_with
from selftests.unit.simulated_credits import ReadyBench, steady
from selftests.unit.simulated_standstills import at_least, profile

ROOT = Path(__file__).parents[2]
PLANS = pytest.mark.parametrize("plan", [DURABLE, DURABLE_IN_TURN, IN_TURN, ALONE])


@PLANS
def test_a_floor_of_nothing_changes_nothing(plan: AnalysisPlan) -> None:
    assert plan.at_least(0.0) is plan and plan.at_least(plan.looks[0]) is plan


@PLANS
@pytest.mark.parametrize("seconds", [5.0, 11.0, 30.0, 41.0, 60.0, 61.0, 90.0, 600.0])
def test_no_look_comes_before_the_floor_and_none_is_less_sure(plan: AnalysisPlan, seconds: float) -> None:
    longer = plan.at_least(seconds)
    assert longer.looks[0] >= min(seconds, longer.cap) and longer.cap >= seconds
    if seconds > plan.looks[0]:
        assert not any(longer.at(look).early for look in longer.looks)
        for look in longer.looks:
            assert longer.at(look).confidence >= plan.at(min(look, plan.cap)).confidence


@pytest.mark.parametrize(
    ("plan", "looks"), [(ALONE, (36, 60)), (DURABLE, (40, 60)), (DURABLE_IN_TURN, (40, 60)), (IN_TURN, (32, 60))]
)
def test_half_a_minute_keeps_the_looks_from_then_on(plan: AnalysisPlan, looks: tuple[int, ...]) -> None:
    longer = plan.at_least(30.0)
    assert longer.looks == looks
    for look in looks:
        assert longer.at(look).beyond == plan.at(look).beyond


@pytest.mark.parametrize(("plan", "last"), [(ALONE, 90), (DURABLE, 90), (DURABLE_IN_TURN, 90), (IN_TURN, 90)])
def test_beyond_the_last_look_there_is_one_after_whole_batches_and_pairs_of_rounds(
    plan: AnalysisPlan, last: int
) -> None:
    longer = plan.at_least(90.0)
    assert longer.looks == (last,)
    if plan.segments:
        assert longer.rounds[-1] == len(longer.segments) and longer.rounds[-1] % 2 == 0


def test_what_nobody_judges_lasts_as_long_too() -> None:
    assert unjudged_plan(31.0, in_turn=False).looks == (32,)
    assert unjudged_plan(30.0, in_turn=True).looks == (32, 60)


def test_the_plan_of_a_run_counts_with_it() -> None:
    profiles = find_profiles(ROOT / "profiles")
    tier = load_limits(ROOT / "thresholds.yaml", profiles=set(profiles)).tier("baseline")
    name = "random-read-iops"
    longer = partial(plan_measurement, profiles[name], "fast", test_size=1, speeds=EMBEDDED_CLUSTER, load_time_s=30)
    step = longer(baseline=None, limits_and_rules=tier.of("limits", profile=name))
    assert 36 <= step.about_s < 45 and 300 <= step.most_s < 330
    unjudged = longer(baseline="local", limits_and_rules=())
    assert unjudged.about_s == unjudged.most_s > 30 + 2 * 32


def test_it_is_a_time_of_some_seconds_to_an_hour() -> None:
    values = {"thresholds": ROOT / "thresholds.yaml", "profiles": ROOT / "profiles"}
    assert read_settings(values).load_time == 0.0
    assert read_settings(values | {"load_time": "2min"}).load_time == 120.0
    for wrong in ("1s", "2h", "30"):
        with pytest.raises(WrongUsage, match="--storage-load time: "):
            read_settings(values | {"load_time": wrong})


@pytest.mark.parametrize(("asked_s", "lasts_s"), [(0.0, 4), (30.0, 36), (90.0, 110)])
def test_a_load_that_is_clear_at_once_goes_on_for_as_long_as_asked(asked_s: float, lasts_s: int) -> None:
    limit = at_least(10.0)
    runner = SpeedRunner(
        ReadyBench({"fast": steady(rate=500.0, seed=1)}),
        baseline_class=None,
        node=None,
        tier=tier_with(limit),
        report=lambda _: None,
        preparing=lambda *_: None,
        keep=lambda _: None,
        load_time_s=asked_s,
    )
    found = runner.finding(profile(durable=False), storage_class="fast")
    assert loaded_s(found.candidate.samples) == lasts_s
    assert found.against(limit).status == "pass"
