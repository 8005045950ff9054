"""The noise of nights: its spread and correlation, whatever single nights, falls and declines are among them."""

from __future__ import annotations

import random
from statistics import fmean, median, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.statistics.robust import huber_level, spread
from acceptance.statistics.serial_noise import MOST_CORRELATION, UNKNOWN_CORRELATION, serial_noise, variance_of_mean
from selftests.unit.simulated_nights import Nights

VALUES = st.lists(st.floats(-100.0, 100.0), min_size=1, max_size=40)


@given(values=VALUES, by=st.floats(-50.0, 50.0))
def test_a_level_lies_among_the_values_and_moves_with_them(values: list[float], by: float) -> None:
    level = huber_level(values)
    assert min(values) - 1e-9 <= level <= max(values) + 1e-9
    assert huber_level([value + by for value in values]) == pytest.approx(level + by, abs=1e-6)


def test_a_level_is_nearly_the_mean_of_normal_values_and_does_not_follow_one_that_is_far_off() -> None:
    source = random.Random(1)
    values = [source.gauss(10.0, 1.0) for _ in range(200)]
    assert huber_level(values) == pytest.approx(fmean(values), abs=0.05)
    assert huber_level([*values[:20], 1e6]) == pytest.approx(huber_level(values[:20]), abs=0.3)
    assert huber_level([3.0] * 5) == 3.0
    with pytest.raises(ValueError, match="expected at least one value"):
        huber_level([])


def test_the_spread_is_that_of_normal_values() -> None:
    source = random.Random(2)
    values = [source.gauss(0.0, 2.0) for _ in range(4000)]
    assert spread(values, middle=median(values)) == pytest.approx(stdev(values), rel=0.05)


@pytest.mark.parametrize("alike", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("count", [30, 90])
def test_variance_and_correlation_are_those_of_the_nights_the_latter_with_care(alike: float, count: int) -> None:
    source = random.Random(3)
    found = [serial_noise(Nights(noise=0.05, alike=alike).series(count, source)) for _ in range(300)]
    assert 0.8 <= fmean(each.variance for each in found) / 0.05**2 <= 1.5
    careful = sum(each.correlation >= alike for each in found) / len(found)
    assert careful >= 0.75
    assert fmean(each.correlation for each in found) <= alike + 0.35


def test_single_nights_a_decline_and_a_late_fall_are_no_noise() -> None:
    source = random.Random(4)
    plain = Nights(noise=0.02).series(60, source)
    usual = serial_noise(plain).variance
    far_off = [value - (3.0 if night % 15 == 7 else 0.0) for night, value in enumerate(plain)]
    declining = [value - 0.01 * night for night, value in enumerate(plain)]
    fallen = [value - (0.5 if night >= 53 else 0.0) for night, value in enumerate(plain)]
    for changed in (far_off, declining, fallen):
        assert serial_noise(changed).variance == pytest.approx(usual, rel=0.8)


def test_of_a_few_nights_the_correlation_is_not_known_and_a_high_one_allowed_for() -> None:
    assert serial_noise([1.0, 2.0, 1.5, 1.2, 1.9, 1.1, 1.4]).correlation == UNKNOWN_CORRELATION
    assert serial_noise([1.0] * 40).variance == 0.0
    with pytest.raises(ValueError, match="expected at least 3 values, found 2"):
        serial_noise([1.0, 2.0])


@given(count=st.integers(1, 200), correlation=st.floats(0.0, MOST_CORRELATION))
def test_a_mean_of_nights_that_are_alike_is_known_less_well(count: int, correlation: float) -> None:
    share = variance_of_mean(count, correlation=correlation)
    direct = (1 + 2 * sum((1 - lag / count) * correlation**lag for lag in range(1, count))) / count
    assert share == pytest.approx(direct)
    assert 1 / count - 1e-12 <= share <= 1.0 + 1e-12


def test_a_correlation_of_one_has_no_mean() -> None:
    with pytest.raises(ValueError, match="below 1, found 1"):
        variance_of_mean(5, correlation=1.0)
