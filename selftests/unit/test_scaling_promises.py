"""The promises of docs/scaling.md, kept in simulation: lognormal seconds that resemble their neighbours, and stalls."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest

from acceptance.judging.outcome import Decision, decide
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import CONFIDENCE, CORRELATION, step_windows_s
from selftests.unit.simulated_limiter import Storage, ends

NOISE = (0.05, 0.15, 0.30)
CELLS = list(product(NOISE, (0.0, 0.5), (False, True)))
cells = pytest.mark.parametrize(("cv", "correlation", "stalls"), CELLS)


def storage(can: float, cv: float, correlation: float, stalls: bool) -> Storage:
    return Storage(can=can, cv=cv, correlation=correlation, stalls=stalls)


@cells
def test_storage_that_can_do_twice_what_it_is_asked_for_reaches_its_rate(
    cv: float, correlation: float, stalls: bool
) -> None:
    """What is asked for is half of what the storage surely does, and stalls do not make it inconclusive."""
    found = ends(storage(2.0, cv, correlation, stalls))
    assert found["fail"] == 0
    assert found["pass"] >= 0.99


@cells
def test_storage_5_percent_below_the_limit_hardly_ever_passes(cv: float, correlation: float, stalls: bool) -> None:
    assert ends(storage(0.98 * 0.95, cv, correlation, stalls))["pass"] <= 0.01


@cells
def test_storage_at_the_limit_passes_and_fails_rarely(cv: float, correlation: float, stalls: bool) -> None:
    found = ends(storage(0.98, cv, correlation, stalls))
    assert found["pass"] <= (0.04 if cv < 0.1 and correlation else 0.015)
    assert found["fail"] <= 0.01


@pytest.mark.parametrize("cv", NOISE)
@pytest.mark.parametrize("stalls", [False, True])
def test_storage_that_changes_slowly_weakens_the_promise(cv: float, stalls: bool) -> None:
    """Neighbouring seconds correlated by 0.9: for some ten seconds it is as good as it looks."""
    twice, less, fifth = (ends(storage(can, cv, 0.9, stalls)) for can in (2.0, 0.98 * 0.95, 0.98 * 0.8))
    assert twice["pass"] >= 0.99 and twice["fail"] == 0
    assert less["pass"] <= 0.18
    assert fifth["pass"] <= 0.05


@pytest.mark.parametrize("can", [0.5, 0.7])
def test_a_volume_that_is_starved_fails_at_the_first_look(can: float) -> None:
    assert ends(storage(can, 0.05, 0.5, False))["fail"] >= 0.99


RUNS = 1500


def batches(random: Random, count: int, *, mean: float, cv: float, correlation: float) -> list[float]:
    sigma, fresh = math.sqrt(math.log(1 + cv**2)), math.sqrt(1 - correlation**2)
    noise = [random.gauss(0, 1)]
    while len(noise) < count:
        noise.append(correlation * noise[-1] + fresh * random.gauss(0, 1))
    return [mean * math.exp(sigma * each - sigma**2 / 2) for each in noise]


def steps(true: float, *, cv: float, correlation: float, at_least: float) -> dict[Decision, float]:
    """How runs end whose last step does `true` times what the first does: both are measured anew at each look."""
    random = Random(99)
    found: dict[Decision, float] = {"pass": 0.0, "fail": 0.0, "inconclusive": 0.0}
    for _ in range(RUNS):
        said: Decision = "inconclusive"
        for window_s in step_windows_s(8.0):
            after, before = (
                batches(random, int(window_s), mean=mean, cv=cv, correlation=correlation) for mean in (true, 1.0)
            )
            ratio = independent_ratio(after, before, confidence=CONFIDENCE, correlation=CORRELATION)
            assert ratio is not None
            said = decide(ratio.low, ratio.high, at_least=at_least)
            if said != "inconclusive":
                break
        found[said] += 1 / RUNS
    return found


@pytest.mark.parametrize(("cv", "correlation"), list(product(NOISE, (0.0, 0.3, 0.5))))
def test_a_total_at_its_limit_passes_and_fails_in_at_most_1_percent(cv: float, correlation: float) -> None:
    found = steps(0.5, cv=cv, correlation=correlation, at_least=0.5)
    assert max(found["pass"], found["fail"]) <= 0.01 + 0.005


@pytest.mark.parametrize(("cv", "correlation"), list(product(NOISE, (0.0, 0.3, 0.5))))
def test_a_total_that_holds_is_decided(cv: float, correlation: float) -> None:
    assert steps(1.0, cv=cv, correlation=correlation, at_least=0.5)["pass"] >= 0.98
