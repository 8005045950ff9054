"""The promises of docs/statistics.md on limits, kept in simulation: seconds that resemble their neighbours, and drift.

A wrong fail of a lower limit is, mirrored, a wrong pass of an upper one.
"""

from __future__ import annotations

from itertools import product

import pytest

from acceptance.statistics.interim_analyses import ALONE, DURABLE, DURABLE_IN_TURN, IN_TURN, AnalysisPlan
from selftests.unit.simulated_storage import Shape, Spread, limit_analyses, lognormal, normal, share, stalling, steady

NOISE = (0.05, 0.15, 0.30)
CORRELATION = (0.0, 0.3, 0.5)  # where the promises hold in full
BEYOND = 0.7  # where they weaken
# Each plan with whether the class is loaded in turn with a baseline.
WAYS = ((DURABLE, False), (ALONE, False), (IN_TURN, True), (DURABLE_IN_TURN, True))
# In turn there are five looks at up to 60 batches, which take long to compute: the hardest cells only.
CELLS = [*product(WAYS[:2], NOISE, CORRELATION), *product(WAYS[2:], NOISE, (0.5,))]


def cell(values: tuple[tuple[AnalysisPlan, bool], float, float]) -> str:
    (plan, _), cv, correlation = values
    name = {DURABLE: "durable", ALONE: "alone", IN_TURN: "in-turn", DURABLE_IN_TURN: "durable-in-turn"}[plan]
    return f"{name}-noise {cv:.0%}-correlation {correlation}"


cells = pytest.mark.parametrize(("way", "cv", "correlation"), CELLS, ids=map(cell, CELLS))


@cells
def test_a_value_5_percent_on_the_wrong_side_hardly_ever_gets_the_wrong_verdict(
    way: tuple[AnalysisPlan, bool], cv: float, correlation: float
) -> None:
    runs = limit_analyses(way[0], compared=way[1], cv=cv, correlation=correlation)
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.01
    assert share(runs, "fail", at_least=1 / 1.05) <= 0.01


@cells
def test_a_value_at_the_limit_keeps_the_budget_of_the_plan(
    way: tuple[AnalysisPlan, bool], cv: float, correlation: float
) -> None:
    # What the plan promises is its budget of 1 %; the noise of so many runs is let in on top.
    runs = limit_analyses(way[0], compared=way[1], cv=cv, correlation=correlation)
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1) <= way[0].wrong_pass + 0.005


# From how far off a value is decided by a look, whatever the noise and the correlation.
@pytest.mark.parametrize(
    ("way", "noise", "seconds", "times"),
    [
        (WAYS[0], 0.05, 4, 5.0),
        (WAYS[0], 0.15, 4, 15.0),
        (WAYS[0], 0.30, 40, 2.0),
        (WAYS[1], 0.05, 4, 5.0),
        (WAYS[1], 0.15, 4, 15.0),
        (WAYS[1], 0.05, 12, 3.5),
        (WAYS[1], 0.15, 24, 2.0),
        (WAYS[1], 0.30, 24, 3.5),
        (WAYS[2], 0.05, 4, 3.5),
        (WAYS[2], 0.15, 8, 3.5),
        (WAYS[2], 0.30, 12, 5.0),
        (WAYS[3], 0.30, 10, 10.0),
        (WAYS[3], 0.30, 40, 2.5),
    ],
)
def test_a_value_far_from_the_limit_is_decided_soon(
    way: tuple[AnalysisPlan, bool], noise: float, seconds: int, times: float
) -> None:
    looks = way[0].looks.index(seconds) + 1
    for where, cv, correlation in CELLS:
        if where == way and cv <= noise:
            runs = limit_analyses(way[0], compared=way[1], cv=cv, correlation=correlation)
            assert share(runs, "pass", at_least=1 / times, looks=looks) >= 0.99
            assert share(runs, "fail", at_least=times, looks=looks) >= 0.99


@pytest.mark.parametrize("way", WAYS, ids=("durable", "alone", "in-turn", "durable-in-turn"))
def test_beyond_the_promised_correlation_the_promises_weaken_but_do_not_break(way: tuple[AnalysisPlan, bool]) -> None:
    runs = limit_analyses(way[0], compared=way[1], cv=0.30, correlation=BEYOND)
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.025
    assert share(runs, "fail", at_least=1 / 1.05) <= 0.025
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1) <= 0.05


# What an early look must not be fooled by: skewed noise, noise that lasts for seconds, and storage that stands still.
@pytest.mark.parametrize(
    ("spread", "cv", "correlation", "shape"),
    [(lognormal, 0.60, 0.5, steady), (normal, 0.30, 0.9, steady), (normal, 0.30, 0.5, stalling)],
    ids=("lognormal", "slow", "stalling"),
)
@pytest.mark.parametrize("way", (WAYS[1], WAYS[3]), ids=("alone", "durable-in-turn"))
def test_an_early_look_decides_nothing_wrong(
    way: tuple[AnalysisPlan, bool], spread: Spread, cv: float, correlation: float, shape: Shape
) -> None:
    runs = limit_analyses(way[0], compared=way[1], cv=cv, correlation=correlation, spread=spread, shape=shape)
    early = way[0].early
    assert early is not None
    for decision in ("pass", "fail"):
        assert share(runs, decision, at_least=1, looks=1) <= early.share * way[0].wrong_pass


def slowing(by: float) -> Shape:
    """Linear drift around 1 over the whole run, losing `by` from its start to its end."""
    return lambda second: 1 + by / 2 - by * second / (DURABLE.cap - 1)


@pytest.mark.parametrize("by", [0.1, 0.3, 0.6, -0.3])
def test_slow_drift_does_not_buy_a_false_pass_of_durable_writes(by: float) -> None:
    # At the first look the drift itself widens the interval by more than it has lifted the mean.
    runs = limit_analyses(DURABLE, compared=False, cv=0.1, correlation=0.3, shape=slowing(by))
    assert share(runs, "pass", at_least=1 / 0.95) <= 0.01


def test_a_burst_is_no_early_pass_unless_it_is_greater_than_the_factor() -> None:
    # Storage that is 5 % short of its limit and runs three times as fast at first, as small cloud disks do.
    burst: Shape = lambda second: 3.0 if second < 8 else 1.0  # noqa: E731
    assert DURABLE.early == ALONE.early
    runs = limit_analyses(ALONE, compared=False, cv=0.05, correlation=0.3, shape=burst)
    assert share(runs, "pass", at_least=1 / 0.95, looks=1) == 0


def test_a_change_after_the_last_look_taken_is_not_seen() -> None:
    # A known limit of every measurement that ends early: burst credits that last 45 s look like a fast volume.
    used_up: Shape = lambda second: 1.0 if second < 45 else 0.3  # noqa: E731
    runs = limit_analyses(DURABLE, compared=False, cv=0.1, correlation=0.3, shape=used_up)
    assert share(runs, "pass", at_least=1 / 1.5) >= 0.99
