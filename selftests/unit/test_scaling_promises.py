"""The promises of docs/scaling.md, kept in simulation: lognormal seconds that resemble their neighbours, and stalls."""

from __future__ import annotations

import math
from itertools import product

import pytest

from selftests.unit.simulated_limiter import Storage, ends
from selftests.unit.simulated_steps import ends_of_ratios, ends_of_values

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


# The hardest window, whose batches are single seconds at both looks, and the default one.
WINDOWS_S = (6.0, 20.0)
RUNS = 20_000
SURELY = 0.01 + 2 * math.sqrt(0.01 / RUNS)
"""the promise, and two standard errors of so many runs"""


@pytest.mark.parametrize(("window_s", "cv"), list(product(WINDOWS_S, (0.05, 0.30))))
def test_a_total_at_its_limit_passes_and_fails_in_at_most_1_percent(window_s: float, cv: float) -> None:
    found = ends_of_ratios(0.5, window_s=window_s, cv=cv, correlation=0.5, at_least=0.5, runs=RUNS)
    assert max(found["pass"], found["fail"]) <= SURELY


@pytest.mark.parametrize(("window_s", "cv"), list(product(WINDOWS_S, (0.05, 0.30))))
def test_a_volume_at_its_limit_passes_and_fails_in_at_most_1_percent(window_s: float, cv: float) -> None:
    found = ends_of_values(window_s=window_s, cv=cv, correlation=0.5, at_least=1.0, runs=RUNS)
    assert max(found["pass"], found["fail"]) <= SURELY


@pytest.mark.parametrize(("cv", "correlation"), list(product(NOISE, (0.0, 0.3, 0.5))))
def test_a_total_that_holds_is_decided(cv: float, correlation: float) -> None:
    """In the default window; in one of 8 s 7 % stay open at a noise of 30 % with a correlation of 0.5."""
    found = ends_of_ratios(1.0, window_s=20.0, cv=cv, correlation=correlation, at_least=0.5, runs=2000)
    assert found["pass"] >= 0.98
