"""Steps of a scale run that are only simulated: lognormal seconds that resemble their neighbours, and its looks.

Every function that decides is the one that decides in a run, with batches as long as it makes them. Seeded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy

from acceptance.judging.outcome import decide
from acceptance.measuring.figures import interval_of
from acceptance.measuring.windows import batch_length
from acceptance.results.requirement import Decision
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import CONFIDENCE, ratio_correlation, step_windows_s

Batches = Sequence[float]


def ends_of_ratios(
    true: float, *, window_s: float, cv: float, correlation: float, at_least: float, runs: int
) -> dict[Decision, float]:
    """How runs end whose last step does `true` times what the first does: both are measured anew at each look."""

    def said(length_s: int, after: Batches, before: Batches) -> Decision:
        allowed = ratio_correlation(length_s)
        found = independent_ratio([true * each for each in after], before, confidence=CONFIDENCE, correlation=allowed)
        assert found is not None
        return decide(found.low, found.high, at_least=at_least)

    return _ends(said, steps=2, window_s=window_s, cv=cv, correlation=correlation, runs=runs)


def ends_of_values(
    *, window_s: float, cv: float, correlation: float, at_least: float, runs: int
) -> dict[Decision, float]:
    """How runs end in which a volume does 1, and has a limit on that."""

    def said(length_s: int, rates: Batches) -> Decision:
        found = interval_of(rates, batch_s=length_s)
        assert found.low is not None and found.high is not None
        return decide(found.low, found.high, at_least=at_least)

    return _ends(said, steps=1, window_s=window_s, cv=cv, correlation=correlation, runs=runs)


def _ends(
    said: Callable[..., Decision], *, steps: int, window_s: float, cv: float, correlation: float, runs: int
) -> dict[Decision, float]:
    """The first look that decides ends a run."""
    random = numpy.random.default_rng([99, round(100 * cv), round(100 * correlation), round(window_s)])
    found: Counter[Decision] = Counter()
    open_ = runs
    for look_s in step_windows_s(window_s):
        length_s = batch_length(look_s)
        measured = [_batches(random, open_, look_s, length_s, cv=cv, correlation=correlation) for _ in range(steps)]
        decisions = Counter(said(length_s, *run) for run in zip(*measured, strict=True))
        open_ = decisions.pop("inconclusive", 0)
        found += decisions
    every: tuple[Decision, ...] = ("pass", "fail")
    return {**{each: found[each] / runs for each in every}, "inconclusive": open_ / runs}


def _batches(
    random: numpy.random.Generator, runs: int, window_s: float, length_s: int, *, cv: float, correlation: float
) -> Iterator[Batches]:
    """For each run the batches of a window, whose mean is 1. `cv`: of a second."""
    values = random.standard_normal((runs, int(window_s) // length_s * length_s))
    for second in range(1, values.shape[1]):
        values[:, second] *= math.sqrt(1 - correlation**2)
        values[:, second] += correlation * values[:, second - 1]
    sigma = math.sqrt(math.log(1 + cv**2))
    rates = numpy.exp(sigma * values - sigma**2 / 2)
    yield from rates.reshape(runs, int(window_s) // length_s, length_s).mean(axis=2).tolist()
