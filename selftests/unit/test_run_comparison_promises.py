"""The promises of docs/comparing.md, kept in simulation: what is called a change is one, and what is one is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from acceptance.measuring.figures import estimate
from acceptance.report.comparing.differences import differences
from acceptance.report.comparing.model import Change
from acceptance.results.document import Estimate, RelativeEstimate, Results
from acceptance.statistics.interim_analyses import ALONE, DURABLE_IN_TURN, IN_TURN, AnalysisPlan
from selftests.unit.compared_runs import cluster, measured, run_of
from selftests.unit.simulated_storage import (
    Segments,
    Shape,
    alone,
    by_segment,
    compare,
    duration,
    in_turn,
    noise,
    steady,
)

# What runs alone has no baseline to be a multiple of.
PLANS = pytest.mark.parametrize(
    ("plan", "absolute"),
    [(DURABLE_IN_TURN, True), (DURABLE_IN_TURN, False), (IN_TURN, True), (IN_TURN, False), (ALONE, True)],
    ids=("durable, values", "durable, multiples", "in turn, values", "in turn, multiples", "alone"),
)
CELLS = pytest.mark.parametrize(("cv", "correlation"), [(0.05, 0.0), (0.15, 0.3), (0.30, 0.5)])
METRIC = "write.iops"
RUNS = 200


def ended_at(plan: AnalysisPlan, look: int) -> AnalysisPlan:
    """The plan with this look alone, at the confidence of what is shown."""
    taken = plan.at(plan.looks[look])
    return AnalysisPlan(
        seconds=(taken.seconds,),
        batch_s=min(taken.batch_s, *plan.segments) if plan.segments else taken.batch_s,
        segments=plan.segments and plan.segments[: plan.rounds[look]],
        wrong_pass=0.025,
        batch_correlation=taken.batch_correlation,
    )


@cache
def runs(plan: AnalysisPlan, *, cv: float, correlation: float, stream: int, shape: Shape) -> Sequence[Results]:
    """Runs on a machine of this shape, each of the class under test and, in turn, of its baseline; ended at any look.

    The first stream is of a machine that is twice as fast as that of the second one.
    """
    seconds = duration(*in_turn(plan)) if plan.segments else plan.cap
    ours, theirs = (noise(correlation, seconds, 2 * stream + place)[:RUNS] for place in (0, 1))
    ends = [ended_at(plan, look) for look in range(len(plan.looks))]
    machine: Shape = lambda second: shape(second) / (1 + stream)  # noqa: E731
    return [
        one_run(ends[number % len(ends)], candidate, baseline, cv=cv, shape=machine)
        for number, (candidate, baseline) in enumerate(zip(ours, theirs, strict=True))
    ]


def one_run(
    plan: AnalysisPlan, candidate: Sequence[float], baseline: Sequence[float], *, cv: float, shape: Shape
) -> Results:
    segments = in_turn(plan) if plan.segments else (alone(plan), alone(plan))

    def seen(of: Segments, series: Sequence[float]) -> Estimate:
        length = plan.at(plan.cap).batch_s
        batches = by_segment(of, series, batch_lengths=[length], cv=cv, shape=shape)[length]
        rates = [part for batch in batches for part in batch]
        return estimate(rates, unit="1/s", seconds=plan.cap, confidence=0.95, correlation=plan.batch_correlation)

    theirs, ours = seen(segments[0], baseline), seen(segments[1], candidate)
    against = {}
    if plan.segments:
        (ratio,) = compare(plan, segments, baseline=baseline, candidate=candidate, cv=cv, shape=shape)
        if ratio.low > 0:
            against[METRIC] = RelativeEstimate(ratio=ratio.mean, low=ratio.low, high=ratio.high, confidence=0.95)
    return run_of(
        measured({METRIC: ours}, beside="local", against=against),
        measured({METRIC: theirs}, storage_class="local", role="baseline"),
        where=cluster(),
    )


def between(
    plan: AnalysisPlan, *, cv: float, correlation: float, absolute: bool = False, shape: Shape = steady
) -> list[Change]:
    """What changed between each pair of runs; the truth is 1 for multiples of the baseline, a half for the values."""
    first = runs(plan, cv=cv, correlation=correlation, stream=0, shape=steady)
    second = runs(plan, cv=cv, correlation=correlation, stream=1, shape=shape)
    found = [
        differences(one, other, ("fast", "fast"), absolute=absolute)[0].change
        for one, other in zip(first, second, strict=True)
    ]
    return [each for each in found if each is not None]


def covered(found: Sequence[Change], *, truth: float) -> float:
    assert len(found) >= 0.98 * RUNS  # of classes that stalled nothing is known
    return sum(each.low <= truth <= each.high for each in found) / len(found)


@PLANS
@CELLS
def test_intervals_hold_the_true_change_so_that_what_did_not_change_is_within_noise(
    plan: AnalysisPlan, absolute: bool, cv: float, correlation: float
) -> None:
    found = between(plan, cv=cv, correlation=correlation, absolute=absolute)
    assert covered(found, truth=0.5 if absolute else 1.0) >= 0.95


def test_a_machine_that_slows_down_between_the_runs_and_in_one_of_them_is_no_change_of_the_class() -> None:
    """Both are half as fast in the second run, which loses a third of its speed on top while it lasts."""
    slowing: Shape = lambda second: 1 - second / (3 * duration(*in_turn(IN_TURN)))  # noqa: E731
    found = between(IN_TURN, cv=0.05, correlation=0.3, shape=slowing)
    assert covered(found, truth=1.0) >= 0.95


# How much of a change is found, over all looks at which a run can have ended.
@pytest.mark.parametrize(
    ("plan", "cv", "times", "enough"),
    [
        (DURABLE_IN_TURN, 0.05, 0.8, 0.99),
        (DURABLE_IN_TURN, 0.15, 0.7, 0.95),
        (IN_TURN, 0.05, 0.8, 0.75),
        (ALONE, 0.05, 0.8, 0.85),
    ],
)
def test_a_change_is_found(plan: AnalysisPlan, cv: float, times: float, enough: float) -> None:
    """On the values: those of the second machine are a half; a change of the class moves all of the interval."""
    found = between(plan, cv=cv, correlation=0.3, absolute=True)
    assert sum(2 * each.high * times < 1.0 for each in found) / RUNS >= enough
    assert sum(2 * each.low * times > 1.0 for each in found) / RUNS <= 0.005
