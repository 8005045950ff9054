"""The promises of docs/statistics.md on limits, kept in simulation: seconds that resemble their neighbours, and drift.

Limits are judged on a load without a pause. A wrong fail of a lower limit is, mirrored, a wrong pass of an upper one.
"""

from __future__ import annotations

from itertools import product

import pytest

from acceptance.statistics.interim_analyses import ALONE, DURABLE, AnalysisPlan, plan_for
from selftests.unit.simulated_storage import (
    Shape,
    Spread,
    limit_analyses,
    lognormal,
    mean_load_s,
    normal,
    share,
    stalling,
    steady,
)

NOISE = (0.05, 0.15, 0.30)
CORRELATION = (0.0, 0.3, 0.5)  # where the promises hold in full
BEYOND = 0.7  # where they weaken
PLANS = {
    "durable": plan_for(durable=True, in_turn=False),
    "alone": plan_for(durable=False, in_turn=False),
    "durable for a minute": DURABLE,
    "alone for a minute": ALONE,
}
LONG = list(PLANS)[:2]
# What a minute decides at most is spent on sooner: the hardest cells only.
CELLS = [*product(LONG, NOISE, CORRELATION), *product(list(PLANS)[2:], NOISE[1:], (0.5,))]
PROFILES = 18
"""that the shipped tiers have limits on"""

cells = pytest.mark.parametrize(("name", "cv", "correlation"), CELLS)
plans = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
long_plans = pytest.mark.parametrize("plan", [PLANS[name] for name in LONG], ids=LONG)


@cells
def test_a_value_5_percent_on_the_wrong_side_hardly_ever_gets_the_wrong_verdict(
    name: str, cv: float, correlation: float
) -> None:
    runs = limit_analyses(PLANS[name], cv=cv, correlation=correlation)
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.01
    assert share(runs, "fail", at_least=1 / 1.05) <= 0.01


@cells
def test_a_value_at_the_limit_keeps_the_budget_of_the_plan(name: str, cv: float, correlation: float) -> None:
    # What the plan promises is its budget of 1 %; the noise of so many runs is let in on top.
    runs = limit_analyses(PLANS[name], cv=cv, correlation=correlation)
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1) <= PLANS[name].wrong_pass + 0.005


@long_plans
def test_storage_10_percent_above_its_limits_gets_its_verdict(plan: AnalysisPlan) -> None:
    """At 15 % noise: of runs of so many profiles at most 5 % leave one open, and none fails, after 30 min of load."""
    runs = limit_analyses(plan, cv=0.15, correlation=0.3)
    assert 1 - (1 - share(runs, "inconclusive", at_least=1 / 1.1)) ** PROFILES <= 0.05
    assert share(runs, "fail", at_least=1 / 1.1) == 0
    assert PROFILES * mean_load_s(runs, plan, at_least=1 / 1.1) <= 30 * 60


# From how far off a value is decided by a look, whatever the noise and the correlation.
@pytest.mark.parametrize(
    ("name", "noise", "seconds", "times"),
    [
        ("durable", 0.05, 4, 5.0),
        ("durable", 0.15, 4, 15.0),
        ("durable", 0.15, 40, 2.0),
        ("durable", 0.30, 60, 2.0),
        ("alone", 0.05, 4, 5.0),
        ("alone", 0.15, 4, 15.0),
        ("alone", 0.05, 24, 4.0),
        ("alone", 0.05, 36, 2.0),
        ("alone", 0.15, 36, 3.0),
        ("alone", 0.15, 60, 1.5),
        ("alone", 0.30, 36, 3.5),
        ("alone", 0.30, 60, 2.0),
    ],
)
def test_a_value_far_from_the_limit_is_decided_soon(name: str, noise: float, seconds: int, times: float) -> None:
    looks = PLANS[name].looks.index(seconds) + 1
    for where, cv, correlation in CELLS:
        if where == name and cv <= noise:
            runs = limit_analyses(PLANS[name], cv=cv, correlation=correlation)
            assert share(runs, "pass", at_least=1 / times, looks=looks) >= 0.99
            assert share(runs, "fail", at_least=times, looks=looks) == 0.0, "it may be warming up"
            assert share(runs, "fail", at_least=times) >= 0.99


@plans
def test_beyond_the_promised_correlation_the_promises_weaken_but_do_not_break(plan: AnalysisPlan) -> None:
    runs = limit_analyses(plan, cv=0.30, correlation=BEYOND)
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.02
    assert share(runs, "fail", at_least=1 / 1.05) <= 0.02
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1) <= 0.03


# Swings that last for seconds, of storage that is 5 % from its limit: they are seen in the batches, and widen.
@long_plans
@pytest.mark.parametrize(("correlation", "dwell_s", "cv"), [(0.9, None, 0.05), (0.9, None, 0.15), (0.0, 5.0, 0.5)])
def test_storage_that_swings_for_seconds_gets_no_wrong_verdict_at_5_percent(
    plan: AnalysisPlan, correlation: float, dwell_s: float | None, cv: float
) -> None:
    runs = limit_analyses(plan, cv=cv, correlation=correlation, dwell_s=dwell_s)
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.01
    assert share(runs, "fail", at_least=1 / 1.05) <= 0.01


# What an early look must not be fooled by: skewed noise, noise that lasts for seconds, and storage that stands still.
@pytest.mark.parametrize(
    ("spread", "cv", "correlation", "shape"),
    [(lognormal, 0.60, 0.5, steady), (normal, 0.30, 0.9, steady), (normal, 0.30, 0.5, stalling)],
    ids=("lognormal", "slow", "stalling"),
)
def test_an_early_look_decides_nothing_wrong(spread: Spread, cv: float, correlation: float, shape: Shape) -> None:
    runs = limit_analyses(ALONE, cv=cv, correlation=correlation, spread=spread, shape=shape)
    early = ALONE.early
    assert early is not None
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1, looks=1) <= early.share * ALONE.wrong_pass


def slowing(by: float) -> Shape:
    """Linear drift around 1 over the whole run, losing `by` from its start to its end."""
    return lambda second: 1 + by / 2 - by * second / (DURABLE.cap - 1)


@pytest.mark.parametrize("by", [0.1, 0.3, 0.6, -0.3])
def test_slow_drift_does_not_buy_a_false_pass_of_durable_writes(by: float) -> None:
    # At the first look the drift itself widens the interval by more than it has lifted the mean.
    runs = limit_analyses(DURABLE, cv=0.1, correlation=0.3, shape=slowing(by))
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.01


def test_a_burst_is_no_early_pass_unless_it_is_greater_than_the_factor() -> None:
    # Storage that is 5 % short of its limit and runs three times as fast at first, as small cloud disks do.
    burst: Shape = lambda second: 3.0 if second < 8 else 1.0  # noqa: E731
    assert DURABLE.early == ALONE.early
    runs = limit_analyses(ALONE, cv=0.05, correlation=0.3, shape=burst)
    assert share(runs, "pass", at_least=1 / 0.95, looks=1) == 0


def test_a_change_after_the_last_look_taken_is_not_seen() -> None:
    # A known limit of every measurement that ends early: burst credits that last 45 s look like a fast volume.
    used_up: Shape = lambda second: 1.0 if second < 45 else 0.3  # noqa: E731
    runs = limit_analyses(DURABLE, cv=0.1, correlation=0.3, shape=used_up)
    assert share(runs, "pass", at_least=1 / 1.6) >= 0.99
