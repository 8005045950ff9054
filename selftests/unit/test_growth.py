"""Whether memory grows, in simulation with fixed seeds: how often noise is taken for a leak, and what is found."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from acceptance.statistics.growth import Growth, growth

COUNT, EACH_S = 121, 10.0
"""20 min: what 30 min of load leave after their first quarter, and a little less"""
RUNS = 400
MOST_WRONG = 9
"""of 400, where one in a hundred is promised: 10 are a chance of 1 in 130"""
SPAN_S = COUNT * EACH_S
RARELY = (2, 2, 2, 3)
"""of such values so many are one look of a kubelet: at a pod that does nothing it looks every 15 to 30 s"""
Series = Callable[[random.Random], list[float]]


def correlated(rng: random.Random, *, r: float = 0.9) -> list[float]:
    value, found = rng.gauss(0, 1), []
    for _ in range(COUNT):
        found.append(value)
        value = r * value + (1 - r * r) ** 0.5 * rng.gauss(0, 1)
    return found


def sawtooth(rng: random.Random, *, periods: float) -> list[float]:
    """Memory that is taken bit by bit and let go of at once, as a garbage collector does; no two teeth are alike."""
    found, held, tooth = [], 0.0, COUNT / periods
    length = tooth * rng.uniform(0.7, 1.3)
    held = rng.random() * length
    for _ in range(COUNT):
        found.append(held / tooth + rng.gauss(0, 0.02))
        held += 1
        if held >= length:
            held, length = rng.uniform(0.0, 0.2) * length, tooth * rng.uniform(0.7, 1.3)
    return found


def step(rng: random.Random) -> list[float]:
    """A cache that is filled once, at any time."""
    when = rng.random() * COUNT
    return [20.0 * (place > when) + value for place, value in enumerate(correlated(rng))]


def seen(series: Series, *, grown: float = 0.0, runs: int = RUNS, looks: tuple[int, ...] = (1,)) -> list[Growth]:
    """`grown`: by so much over the whole."""
    found = []
    for seed in range(runs):
        rng = random.Random(seed)
        values = [v + grown * place / COUNT for place, v in enumerate(series(rng))]
        places = [0]
        while places[-1] < COUNT - 1:
            places.append(min(COUNT - 1, places[-1] + rng.choice(looks)))
        each = growth([EACH_S * place for place in places], [values[place] for place in places], confidence=0.98)
        assert each is not None
        found.append(each)
    return found


@pytest.mark.parametrize(
    "series",
    [
        correlated,
        lambda rng: correlated(rng, r=0.0),
        step,
        *(lambda rng, n=n: sawtooth(rng, periods=n) for n in (3, 5, 8, 12, 20, 40)),
    ],
    ids=["correlated", "independent", "step", *(f"sawtooth-{n}" for n in (3, 5, 8, 12, 20, 40))],
)
@pytest.mark.parametrize("looks", [(1,), RARELY], ids=["every-10-s", "rarely"])
def test_what_does_not_grow_is_no_leak(series: Series, looks: tuple[int, ...]) -> None:
    assert sum(each.is_steady_above(0.0) for each in seen(series, looks=looks)) <= MOST_WRONG


def test_a_leak_that_is_exactly_the_limit_seldom_fails_and_seldom_passes() -> None:
    limit = 5.0 / SPAN_S
    found = seen(correlated, grown=5.0)
    assert sum(each.is_steady_above(limit) for each in found) <= MOST_WRONG
    assert sum(each.high <= limit for each in found) <= MOST_WRONG


@pytest.mark.parametrize("looks", [(1,), RARELY], ids=["every-10-s", "rarely"])
@pytest.mark.parametrize(("grown", "least"), [(6.0, 0.7), (10.0, 0.95)])
def test_power_against_noise_with_a_correlation_of_nine_tenths(
    grown: float, least: float, looks: tuple[int, ...]
) -> None:
    """`grown` over the judged time, in spreads of the noise."""
    found = seen(correlated, grown=grown, runs=300, looks=looks)
    assert sum(each.is_steady_above(0.0) for each in found) >= least * 300


def test_power_against_a_sawtooth() -> None:
    """A leak as large as one tooth of twelve."""
    found = seen(lambda rng: sawtooth(rng, periods=12), grown=1.0, runs=300)
    assert sum(each.is_steady_above(0.0) for each in found) >= 0.9 * 300


def test_too_little_says_nothing() -> None:
    """Neither a time that is too short, nor one with a long gap."""
    assert growth([10.0 * n for n in range(120)], [0.0] * 120, confidence=0.98) is None
    assert growth([10.0 * n for n in range(121)], [0.0] * 121, confidence=0.98) is not None
    gap = [*range(60), *range(100, 160)]
    assert growth([10.0 * n for n in gap], [0.0] * 120, confidence=0.98) is None
