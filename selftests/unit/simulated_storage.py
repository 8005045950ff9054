"""Storage that is only simulated, looked at as a plan of looks says: for the statistical promises.

Every function that decides is the one that decides in a run. Seeded, so that a failure is a change in the code, not
bad luck. The true rate, and the true ratio, are 1: what does `times` its limit is held against a limit of 1 / times.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from acceptance.judging import Decision, decide
from acceptance.looks import LookPlan
from acceptance.measuring.ending import UNCOUNTED_S
from acceptance.ratios import Round, ratio
from acceptance.statistics import Interval, batch_means, interval

RUNS = 2000

Looks = Sequence[Interval]
"""What one run found, at each look of its plan."""
Shape = Callable[[int], float]
"""What share of its mean the storage reaches in a given second."""
Segments = Sequence[range]
"""The seconds that count, segment by segment."""


def steady(_: int) -> float:
    """The same at all times."""
    return 1.0


@cache
def noise(correlation: float, seconds: int, stream: int = 0) -> tuple[Sequence[float], ...]:
    """For each run, first-order autoregressive noise with mean 0 and standard deviation 1, a value a second.

    Another `stream` is noise that has nothing to do with this one.
    """
    random = Random(20240 + round(100 * correlation) + seconds + 1_000_003 * stream)
    fresh = math.sqrt(1 - correlation**2)

    def one() -> Sequence[float]:
        series = array("d", [random.gauss(0, 1)])
        while len(series) < seconds:
            series.append(correlation * series[-1] + fresh * random.gauss(0, 1))
        return series

    return tuple(one() for _ in range(RUNS))


def alone(plan: LookPlan) -> Segments:
    """The seconds that count when one class is loaded without a pause."""
    return [range(plan.cap)]


def in_turn(plan: LookPlan) -> tuple[Segments, Segments]:
    """The seconds that count of baseline and candidate, loaded as `measure_alternately` does.

    The class that comes first alternates; time goes on in the first second of a segment, which is not counted.
    """
    both: tuple[list[range], list[range]] = ([], [])
    for number in range(2 * plan.rounds[-1]):
        start = number * (UNCOUNTED_S + plan.segment_s) + UNCOUNTED_S
        both[number % 2 ^ number // 2 % 2].append(range(start, start + plan.segment_s))
    return both


def duration(*segments: Segments) -> int:
    """The seconds of real time until the last one that counts is over."""
    return max(each[-1].stop for each in segments)


def by_segment(
    plan: LookPlan, segments: Segments, series: Sequence[float], *, cv: float, shape: Shape
) -> list[list[float]]:
    """The rates of all batches; noise that would be negative is a second that stood still."""
    rates = ([max(0.0, 1 + cv * series[second]) * shape(second) for second in segment] for segment in segments)
    return [batch_means(segment, length=plan.batch_s) for segment in rates]


@cache
def limit_looks(
    plan: LookPlan, *, compared: bool, cv: float, correlation: float, shape: Shape = steady
) -> Sequence[Looks]:
    """For each run the interval of the rate; `compared`: loaded in turn with a baseline, or else without a pause.

    `cv`: the standard deviation of a second, as a share of the mean. `correlation`: of neighbouring seconds.
    """
    segments = in_turn(plan)[1] if compared else alone(plan)

    def one(series: Sequence[float]) -> Looks:
        rates = [rate for each in by_segment(plan, segments, series, cv=cv, shape=shape) for rate in each]
        counts = (look // plan.batch_s for look in plan.seconds)
        return [
            interval(rates[:count], confidence=plan.confidence, correlation=plan.batch_correlation) for count in counts
        ]

    return [one(series) for series in noise(correlation, duration(segments))]


def compare(
    plan: LookPlan,
    segments: tuple[Segments, Segments],
    *,
    baseline: Sequence[float],
    candidate: Sequence[float],
    cv: float = 0.0,
    shape: Shape = steady,
) -> Looks:
    """One run: the interval of candidate / baseline, each with its noise, on a machine with this shape.

    Where there is no ratio, nothing is known: from 0 to infinity.
    """
    both = zip(segments, (baseline, candidate), strict=True)
    first, second = (by_segment(plan, each, series, cv=cv, shape=shape) for each, series in both)
    return [_ratio(plan, [*map(Round, first[:rounds], second[:rounds])]) for rounds in plan.rounds]


@cache
def ratio_looks(
    plan: LookPlan, *, cv: float, correlation: float, machine_wide: bool = False, shape: Shape = steady
) -> Sequence[Looks]:
    """For each run the interval of candidate / baseline.

    `machine_wide`: the noise is that of the machine, and falls on both classes at the same time; else each class has
    its own.
    """
    segments = in_turn(plan)
    seconds = duration(*segments)
    pairs = zip(noise(correlation, seconds), noise(correlation, seconds, 0 if machine_wide else 1), strict=True)
    return [compare(plan, segments, baseline=one, candidate=other, cv=cv, shape=shape) for one, other in pairs]


def _ratio(plan: LookPlan, rounds: Sequence[Round]) -> Interval:
    found = ratio(rounds, confidence=plan.confidence, correlation=plan.batch_correlation)
    if found.value is None or found.low is None or found.high is None:
        return Interval(1.0, 0.0, math.inf)
    return Interval(found.value, found.low, found.high)


def share(
    runs: Sequence[Looks],
    decision: Decision,
    *,
    looks: int | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float:
    """The share of runs that end with this decision: the first look, of all or of so many, that decides ends a run."""

    def end(run: Looks) -> Decision:
        decisions = (decide(one.low, one.high, at_least=at_least, at_most=at_most) for one in run[:looks])
        return next((one for one in decisions if one != "inconclusive"), "inconclusive")

    return sum(end(run) == decision for run in runs) / len(runs)


def mean_error(runs: Sequence[Looks], *, look: int) -> float:
    """By how much the mean over all runs misses the truth at a look, as a share of it."""
    return sum(run[look].mean for run in runs) / len(runs) - 1


def covered(runs: Sequence[Looks], *, look: int) -> float:
    """The share of runs whose interval holds the truth at a look."""
    return sum(run[look].low <= 1 <= run[look].high for run in runs) / len(runs)
