"""Storage that is only simulated, looked at as a plan of looks says: for the statistical promises.

Every function that decides is the one that decides in a run. Seeded, so that a failure is a change in the code, not
bad luck. The true rate, and the true ratio, are 1: what does `times` its limit is held against a limit of 1 / times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import numpy

from acceptance.judging.outcome import decide
from acceptance.measuring.ending import UNCOUNTED_S
from acceptance.results.requirement import Decision
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import Part, weighted_interval
from acceptance.statistics.looks import Look
from acceptance.statistics.ratios import Round, ratio

RUNS = 2000
STALLS_EACH_S = 20


class Seen(NamedTuple):
    """A mean with its interval, the factor by which that must lie beyond a limit, and whether it can miss one."""

    mean: float
    low: float
    high: float
    beyond: float
    may_fail: bool = True


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
def noise(correlation: float, seconds: int, stream: int = 0, runs: int = RUNS) -> tuple[Sequence[float], ...]:
    """For each run, first-order autoregressive noise with mean 0 and standard deviation 1, a value a second.

    Another `stream` is noise that has nothing to do with this one.
    """
    random = numpy.random.default_rng([round(100 * correlation), seconds, stream])
    values = random.standard_normal((runs, seconds))
    for second in range(1, seconds):
        values[:, second] *= math.sqrt(1 - correlation**2)
        values[:, second] += correlation * values[:, second - 1]
    return tuple(values.tolist())


@cache
def dwelling(dwell_s: float, seconds: int, runs: int = RUNS) -> tuple[Sequence[float], ...]:
    """For each run -1 or 1 each second: storage that stays in one of two states for so long on average."""
    random = numpy.random.default_rng([round(dwell_s), seconds])
    turns = numpy.where(random.random((runs, seconds)) < 1 / dwell_s, -1.0, 1.0)
    turns[:, 0] = numpy.where(random.random(runs) < 0.5, -1.0, 1.0)
    return tuple(numpy.cumprod(turns, axis=1).tolist())


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
    return max(segment[-1].stop for segment in segments)


def by_segment(
    segments: Segments,
    series: Sequence[float],
    *,
    batch_lengths: Sequence[int],
    cv: float,
    spread: Spread = normal,
    shape: Shape = steady,
    since: int = 0,
) -> dict[int, list[list[Part]]]:
    """All batches of each length, segment by segment; one that is shorter than a batch is one.

    `since`: for so many seconds the shape has gone on before the load begins.
    """
    found: dict[int, list[list[Part]]] = {length: [] for length in batch_lengths}
    for segment in segments:
        rates = (spread(series[second], cv) * shape(second + since) for second in segment)
        until, count = list(accumulate(rates, initial=0.0)), len(segment)
        for length, batches in found.items():
            size = min(length, count)
            begins = range(0, count - size + 1, size)
            batches.append([Part(until[begin + size] - until[begin], size) for begin in begins])
    return found


@cache
def limit_analyses(
    plan: AnalysisPlan,
    *,
    cv: float,
    correlation: float = 0.0,
    spread: Spread = normal,
    shape: Shape = steady,
    dwell_s: float | None = None,
    runs: int = RUNS,
) -> Sequence[Looks]:
    """For each run the interval of the rate, of a load without a pause.

    `cv`: the standard deviation of a second, as a share of the mean. `correlation`: of neighbouring seconds; with
    `dwell_s` they are in one of two states. A shape that comes again and again has begun before, anywhere in it.
    """
    segments, looks = alone(plan), looks_of(plan)
    noises = noise(correlation, plan.cap, runs=runs) if dwell_s is None else dwelling(dwell_s, plan.cap, runs)

    def one(number: int, series: Sequence[float]) -> Looks:
        since = number % STALLS_EACH_S if shape is stalling else 0
        lengths = batch_lengths(plan)
        parts = by_segment(segments, series, batch_lengths=lengths, cv=cv, spread=spread, shape=shape, since=since)
        return [_seen(look, parts[look.batch_s][0][: look.seconds // look.batch_s]) for look in looks]

    return [one(number, series) for number, series in enumerate(noises)]


@cache
def looks_of(plan: AnalysisPlan) -> Sequence[Look]:
    """Its looks, each with what holds for it."""
    return [plan.at(seconds) for seconds in plan.looks]


@cache
def batch_lengths(plan: AnalysisPlan) -> Sequence[int]:
    """Of all its looks."""
    return sorted({look.batch_s for look in looks_of(plan)})


def _seen(look: Look, parts: Sequence[Part]) -> Seen:
    found = weighted_interval(parts, confidence=look.confidence, correlation=look.batch_correlation)
    still = look.early and any(not part.amount for part in parts)
    return Seen(*found, beyond=math.inf if still else look.beyond, may_fail=look.may_fail)


def compare(
    plan: AnalysisPlan,
    segments: tuple[Segments, Segments],
    *,
    baseline: Sequence[float],
    candidate: Sequence[float],
    cv: float = 0.0,
    shape: Shape = steady,
    own_shape: Shape = steady,
    since: int = 0,
) -> Looks:
    """One run: the interval of candidate / baseline, each with its noise, on a machine with this shape.

    `own_shape`: of the candidate alone, which has gone on for `since` seconds. Where there is no ratio, nothing is
    known: from 0 to infinity.
    """
    lengths = batch_lengths(plan)
    theirs = by_segment(segments[0], baseline, batch_lengths=lengths, cv=cv, shape=shape)
    both: Shape = lambda second: shape(second) * own_shape(second + since)  # noqa: E731
    ours = by_segment(segments[1], candidate, batch_lengths=lengths, cv=cv, shape=both)
    rounds = {length: list(map(Round, theirs[length], ours[length])) for length in lengths}
    ends = zip(looks_of(plan), plan.rounds, strict=True)
    return [_ratio(look, rounds[look.batch_s][:end]) for look, end in ends]


@cache
def ratio_analyses(
    plan: AnalysisPlan,
    *,
    cv: float,
    correlation: float,
    machine_wide: bool = False,
    shape: Shape = steady,
    own_shape: Shape = steady,
    runs: int = RUNS,
) -> Sequence[Looks]:
    """For each run the interval of candidate / baseline.

    `machine_wide`: the noise is that of the machine, and falls on both classes at the same time; else each class has
    its own. `own_shape` has begun before, anywhere in it.
    """
    segments = in_turn(plan)
    seconds = duration(*segments)
    noises = (noise(correlation, seconds, stream, runs) for stream in (0, 0 if machine_wide else 1))
    return [
        compare(plan, segments, baseline=one, candidate=other, cv=cv, shape=shape, own_shape=own_shape, since=number)
        for number, (one, other) in enumerate(zip(*noises, strict=True))
    ]


def _ratio(look: Look, rounds: Sequence[Round]) -> Seen:
    found = ratio(rounds, confidence=look.confidence, correlation=look.batch_correlation)
    if found.value is None or found.low is None or found.high is None:
        return Seen(1.0, 0.0, math.inf, look.beyond)
    return Seen(found.value, found.low, found.high, look.beyond)


def share(
    runs: Sequence[Looks],
    decision: Decision,
    *,
    looks: int | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float:
    """The share of runs that end with this decision: the first look, of all or of so many, that decides ends a run."""
    ends = (_end(run[:looks], at_least=at_least, at_most=at_most)[1] for run in runs)
    return sum(end == decision for end in ends) / len(runs)


def mean_load_s(runs: Sequence[Looks], plan: AnalysisPlan, *, at_least: float) -> float:
    """How long a run lasts on average, in seconds of load."""
    return sum(plan.looks[_end(run, at_least=at_least, at_most=None)[0]] for run in runs) / len(runs)


def _end(run: Looks, *, at_least: float | None, at_most: float | None) -> tuple[int, Decision]:
    """The look that ends it, and what that decides."""
    for number, one in enumerate(run):
        decision = decide(one.low, one.high, at_least=at_least, at_most=at_most, beyond=one.beyond)
        if decision == "pass" or (decision == "fail" and one.may_fail):
            return number, decision
    return len(run) - 1, "inconclusive"


def mean_error(runs: Sequence[Looks], *, look: int) -> float:
    """By how much the mean over all runs misses the truth at a look, as a share of it."""
    return sum(run[look].mean for run in runs) / len(runs) - 1


def covered(runs: Sequence[Looks], *, look: int) -> float:
    """The share of runs whose interval holds the truth at a look."""
    return sum(run[look].low <= 1 <= run[look].high for run in runs) / len(runs)
