"""SNIA's steady state: the largest and smallest of five rounds, and the line through them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.statistics.steady_state import steady_state

RATES = st.lists(st.floats(0.0, 1e7), min_size=5, max_size=5)


@pytest.mark.parametrize(
    ("rounds", "holds"),
    [
        ([100, 100, 100, 100, 100], True),
        ([0, 0, 0, 0, 0], True),
        ([90, 110, 100, 100, 100], True),  # 20 % apart is allowed
        ([89, 110, 100, 101, 100], False),
        ([95, 97.5, 100, 102.5, 105], True),  # a rise of 10 % is allowed
        ([94, 97, 100, 103, 106], False),
        ([106, 103, 100, 97, 94], False),
        ([300, 300, 300, 300, 100], False),
    ],
)
def test_the_edges_of_the_specification(rounds: list[float], holds: bool) -> None:
    assert steady_state(rounds).holds == holds


def test_the_figures_are_shares_of_the_mean() -> None:
    found = steady_state([80, 90, 100, 110, 120])
    assert (found.range, found.slope) == (pytest.approx(0.4), pytest.approx(0.4))


@given(rounds=RATES, times=st.floats(0.01, 100))
def test_faster_storage_of_the_same_form_is_as_steady(rounds: list[float], times: float) -> None:
    ours, theirs = steady_state(rounds), steady_state([each * times for each in rounds])
    assert ours.range == pytest.approx(theirs.range) and ours.slope == pytest.approx(theirs.slope, abs=1e-9)


@pytest.mark.parametrize("rounds", [[], [1.0] * 4, [1.0] * 6, [1.0, 1.0, 1.0, 1.0, -1.0], [float("nan")] * 5])
def test_other_rounds_are_an_error_of_the_caller(rounds: list[float]) -> None:
    with pytest.raises(ValueError, match="5 finite rates"):
        steady_state(rounds)
