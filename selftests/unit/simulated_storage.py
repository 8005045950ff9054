"""Storage that is only simulated, looked at as a plan of looks says: for the statistical promises.

Every function that decides is the one that decides in a run. Seeded, so that a failure is a change in the code, not
bad luck. The true rate, and the true ratio, are 1: what does `times` its limit is held against a limit of 1 / times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

import numpy

from acceptance.judging.outcome import Decision, decide
from acceptance.measuring.ending import UNCOUNTED_S
from acceptance.statistics.interim_analyses import AnalysisPlan, Look
from acceptance.statistics.intervals import interval
from acceptance.statistics.ratios import Round, ratio

RUNS = 2000
STALLS_EACH_S = 20


class Seen(NamedTuple):
    """A mean with its interval, and the factor by which that must lie beyond a limit."""

    mean: float
    low: float
    high: float
    beyond: float


Looks = Sequence[Seen]
"""What one run found, at each look of its plan."""
Shape = Callable[[int], float]
"""What share of its mean the storage reaches in a given second."""
Spread = Callable[[float, float], float]
"""The rate of a second, whose mean is 1, from noise of mean 0 and deviation 1, and the deviation of the rate."""
Segments = Sequence[range]
"""The seconds that count, segment by segment."""


def steady(_: int) -> float:
    """The same at all times."""
    return 1.0


def stalling(second: int) -> float:
    """Nothing for two seconds in twenty; 1 on average."""
    return 0.0 if second % STALLS_EACH_S < 2 else STALLS_EACH_S / (STALLS_EACH_S - 2)


def normal(noise: float, cv: float) -> float:
    """Normally distributed; noise that would be negative is a second that stalled."""
    return max(0.0, 1 + cv * noise)


def lognormal(noise: float, cv: float) -> float:
    """Skewed: seldom much faster, and never still."""
    variance = math.log(1 + cv * cv)
    return math.exp(math.sqrt(variance) * noise - variance / 2)


@cache
def noise(correlation: float, seconds: int, stream: int = 0) -> tuple[Sequence[float], ...]:
    """For each run, first-order autoregressive noise with mean 0 and standard deviation 1, a value a second.

    Another `stream` is noise that has nothing to do with this one.
    """
    random = numpy.random.default_rng([round(100 * correlation), seconds, stream])
    values = random.standard_normal((RUNS, seconds))
    for second in range(1, seconds):
        values[:, second] *= math.sqrt(1 - correlation**2)
        values[:, second] += correlation * values[:, second - 1]
    return tuple(values.tolist())


def alone(plan: AnalysisPlan) -> Segments:
    """The seconds that count when one class is loaded without a pause."""
    return [range(plan.cap)]


def in_turn(plan: AnalysisPlan) -> tuple[Segments, Segments]:
    """The seconds that count of baseline and candidate, loaded as `measure_alternately` does.

    The class that comes first alternates; time goes on in the first second of a segment, which is not counted.
    """
    both: tuple[list[range], list[range]] = ([], [])
    lengths = [length for length in plan.segments for _ in both]
    ends = accumulate(UNCOUNTED_S + length for length in lengths)
    for number, (length, end) in enumerate(zip(lengths, ends, strict=True)):
        both[number % 2 ^ number // 2 % 2].append(range(end - length, end))
    return both


def duration(*segments: Segments) -> int:
    """The seconds of real time until the last one that counts is over."""
    return max(each[-1].stop for each in segments)


def by_segment(
    segments: Segments,
    series: Sequence[float],
    *,
    batch_s: int,
    cv: float,
    spread: Spread = normal,
    shape: Shape = steady,
    since: int = 0,
) -> list[list[float]]:
    """The rates of all batches. `since`: for so many seconds the shape has gone on before the load begins."""
    rates = ([spread(series[second], cv) * shape(second + since) for second in segment] for segment in segments)
    return [
        [fmean(segment[start : start + batch_s]) for start in range(0, len(segment) - batch_s + 1, batch_s)]
        for segment in rates
    ]


@cache
def limit_analyses(
    plan: AnalysisPlan,
    *,
    compared: bool,
    cv: float,
    correlation: float,
    spread: Spread = normal,
    shape: Shape = steady,
) -> Sequence[Looks]:
    """For each run the interval of the rate; `compared`: loaded in turn with a baseline, or else without a pause.

    `cv`: the standard deviation of a second, as a share of the mean. `correlation`: of neighbouring seconds. A shape
    that comes again and again has begun before, anywhere in it.
    """
    segments = in_turn(plan)[1] if compared else alone(plan)

    def one(number: int, series: Sequence[float]) -> Looks:
        since = number % STALLS_EACH_S if shape is stalling else 0
        rates = {
            batch_s: by_segment(segments, series, batch_s=batch_s, cv=cv, spread=spread, shape=shape, since=since)
            for batch_s in batch_lengths(plan)
        }
        flat = {batch_s: [rate for each in found for rate in each] for batch_s, found in rates.items()}
        return [_seen(look, flat[look.batch_s][: look.seconds // look.batch_s]) for look in looks_of(plan)]

    return [one(number, series) for number, series in enumerate(noise(correlation, duration(segments)))]


def looks_of(plan: AnalysisPlan) -> list[Look]:
    """Its looks, each with what holds for it."""
    return [plan.at(seconds) for seconds in plan.looks]


def batch_lengths(plan: AnalysisPlan) -> set[int]:
    """Of all its looks."""
    return {look.batch_s for look in looks_of(plan)}


def _seen(look: Look, rates: Sequence[float]) -> Seen:
    found = interval(rates, confidence=look.confidence, correlation=look.batch_correlation)
    return Seen(*found, beyond=math.inf if look.early and 0.0 in rates else look.beyond)


def compare(
    plan: AnalysisPlan,
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
    classes = list(zip(segments, (baseline, candidate), strict=True))
    rounds = {
        batch_s: [*map(Round, *(by_segment(each, of, batch_s=batch_s, cv=cv, shape=shape) for each, of in classes))]
        for batch_s in batch_lengths(plan)
    }
    ends = zip(looks_of(plan), plan.rounds, strict=True)
    return [_ratio(look, rounds[look.batch_s][:end]) for look, end in ends]


@cache
def ratio_analyses(
    plan: AnalysisPlan, *, cv: float, correlation: float, machine_wide: bool = False, shape: Shape = steady
) -> Sequence[Looks]:
    """For each run the interval of candidate / baseline.

    `machine_wide`: the noise is that of the machine, and falls on both classes at the same time; else each class has
    its own.
    """
    segments = in_turn(plan)
    seconds = duration(*segments)
    pairs = zip(noise(correlation, seconds), noise(correlation, seconds, 0 if machine_wide else 1), strict=True)
    return [compare(plan, segments, baseline=one, candidate=other, cv=cv, shape=shape) for one, other in pairs]


def _ratio(look: Look, rounds: Sequence[Round]) -> Seen:
    found = ratio(rounds, confidence=look.confidence, correlation=look.batch_correlation)
    if found.value is None or found.low is None or found.high is None:
        return Seen(1.0, 0.0, math.inf, look.ratio_beyond)
    return Seen(found.value, found.low, found.high, look.ratio_beyond)


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
        decisions = (
            decide(one.low, one.high, at_least=at_least, at_most=at_most, beyond=one.beyond) for one in run[:looks]
        )
        return next((one for one in decisions if one != "inconclusive"), "inconclusive")

    return sum(end(run) == decision for run in runs) / len(runs)


def mean_error(runs: Sequence[Looks], *, look: int) -> float:
    """By how much the mean over all runs misses the truth at a look, as a share of it."""
    return sum(run[look].mean for run in runs) / len(runs) - 1


def covered(runs: Sequence[Looks], *, look: int) -> float:
    """The share of runs whose interval holds the truth at a look."""
    return sum(run[look].low <= 1 <= run[look].high for run in runs) / len(runs)
