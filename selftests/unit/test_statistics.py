"""Batch means, Student's t and ratios: exact values and properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.measuring.figures import estimate
from acceptance.statistics.intervals import (
    MINIMUM_BATCHES,
    Part,
    allowance,
    correlation_of_batches,
    interval,
    seen_correlation,
    standard_error,
    weighted_interval,
)
from acceptance.statistics.ratios import Round, of_equal_weight, ratio
from acceptance.statistics.student_t import t_cdf, t_quantile

values = st.lists(st.floats(min_value=0.0, max_value=1e9), min_size=3, max_size=30)
positive = st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=3, max_size=12)


# NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, "Critical values of the Student's-t distribution".
@pytest.mark.parametrize(
    ("probability", "degrees", "published"),
    [
        (0.90, 1, 3.078),
        (0.975, 1, 12.706),
        (0.999, 5, 5.893),
        (0.975, 2, 4.303),
        (0.995, 2, 9.925),
        (0.975, 8, 2.306),
        (0.995, 8, 3.355),
        (0.995, 14, 2.977),
        (0.95, 30, 1.697),
        (0.975, 100, 1.984),
    ],
)
def test_t_quantiles_are_those_of_published_tables(probability: float, degrees: int, published: float) -> None:
    assert t_quantile(probability, degrees=degrees) == pytest.approx(published, abs=6e-4)


@given(st.floats(0.001, 0.999), st.integers(1, 200))
def test_the_quantile_inverts_the_distribution_and_is_symmetric(probability: float, degrees: int) -> None:
    t = t_quantile(probability, degrees=degrees)
    assert t_cdf(t, degrees=degrees) == pytest.approx(probability, abs=1e-8)
    assert t_quantile(1 - probability, degrees=degrees) == pytest.approx(-t, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("degrees", [1, 2])
def test_the_distribution_with_one_or_two_degrees_is_the_one_in_closed_form(degrees: int) -> None:
    for t in (-3.0, -0.1, 0.0, 0.5, 2.0, 40.0):
        exact = 0.5 + math.atan(t) / math.pi if degrees == 1 else 0.5 + t / (2 * math.sqrt(2 + t * t))
        assert t_cdf(t, degrees=degrees) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(("probability", "degrees"), [(0.0, 3), (1.0, 3), (0.5, 0)])
def test_a_quantile_that_does_not_exist_is_refused(probability: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="0 < probability < 1"):
        t_quantile(probability, degrees=degrees)


@pytest.mark.parametrize(("length_s", "correlation"), [(1, 0.5), (2, 0.375), (3, 49 / 176), (4, 0.25), (60, 0.25)])
def test_short_batches_are_more_alike_than_long_ones(length_s: int, correlation: float) -> None:
    """Of 2 s with r = 1/2: covariance r (1 + r)^2 = 1.125, variance 2 + 2 r = 3, in the variance of a second."""
    assert correlation_of_batches(length_s) == pytest.approx(correlation)


def test_an_interval_worked_out_by_hand() -> None:
    # 8, 10, 12: mean 10, s = 2, error = 2 / sqrt(3); t(0.975, 2) = 4.3027
    mean, low, high = interval([8, 10, 12], confidence=0.95, correlation=0.0)
    reach = 4.302653 * 2 / math.sqrt(3) / 10
    assert (mean, low, high) == pytest.approx((10, 10 * math.exp(-reach), 10 * math.exp(reach)))


def test_the_allowance_for_correlated_batches_widens_by_its_factor() -> None:
    assert standard_error([1, 2, 3], correlation=0.25) == pytest.approx(math.sqrt(1.25 / 0.75) / math.sqrt(3))


@given(values, st.floats(0.5, 0.999))
def test_an_interval_holds_its_mean_and_no_nonsense(batch_values: list[float], confidence: float) -> None:
    try:
        mean, low, high = interval(batch_values, confidence=confidence)
    except OverflowError:
        pytest.fail("an interval must not overflow")
    assert 0.0 <= low <= mean <= high
    assert not any(map(math.isnan, (mean, low, high)))


@given(positive)
def test_more_confidence_makes_a_wider_interval(batch_values: list[float]) -> None:
    narrow, wide = (interval(batch_values, confidence=confidence) for confidence in (0.9, 0.99))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@given(positive, st.floats(0.01, 100))
def test_the_interval_scales_with_the_unit(batch_values: list[float], factor: float) -> None:
    plain = interval(batch_values, confidence=0.9)
    scaled = interval([value * factor for value in batch_values], confidence=0.9)
    assert scaled == pytest.approx([value * factor for value in plain], rel=1e-6)


parts = st.lists(st.builds(Part, st.floats(0.0, 1e6), st.floats(0.01, 1e3)), min_size=MINIMUM_BATCHES, max_size=30)


def test_a_ratio_of_totals_worked_out_by_hand() -> None:
    # 100 and 100 operations in a second each, 10 in 8 s: 21 a second. They are off by 79, 79 and -158, of 10 s; the
    # effective number of batches is 100 / 66, so there is one degree of freedom: t(0.95, 1) = 6.3138.
    found = weighted_interval([Part(100, 1), Part(100, 1), Part(10, 8)], confidence=0.9, correlation=0.0)
    reach = 6.313752 * math.sqrt(3 / 2 * (79**2 + 79**2 + 158**2)) / 10 / 21
    assert found == pytest.approx((21, 21 * math.exp(-reach), 21 * math.exp(reach)))


@given(positive, st.floats(0.01, 100), st.sampled_from([0.0, 0.25, 0.5]))
def test_batches_of_the_same_weight_are_those_of_a_plain_mean(
    batch_values: list[float], weight: float, correlation: float
) -> None:
    """As it was before batches had weights: Student's interval of their mean."""
    mean = math.fsum(batch_values) / len(batch_values)
    t = t_quantile(0.975, degrees=len(batch_values) - 1)
    reach = t * standard_error(batch_values, correlation=correlation) / mean
    equal = [Part(value * weight, weight) for value in batch_values]
    found = weighted_interval(equal, confidence=0.95, correlation=correlation)
    assert found == pytest.approx((mean, mean * math.exp(-reach), mean * math.exp(reach)), rel=1e-6)
    assert found == pytest.approx(interval(batch_values, confidence=0.95, correlation=correlation), rel=1e-6)


@given(parts)
def test_a_weighted_interval_holds_its_mean_which_is_the_total_by_the_weight(made: list[Part]) -> None:
    mean, low, high = weighted_interval(made, confidence=0.99)
    assert 0.0 <= low <= mean <= high
    assert mean == pytest.approx(sum(each.amount for each in made) / sum(each.weight for each in made))


def test_one_heavy_batch_tells_less_than_many_light_ones() -> None:
    """60 s of which 20 are one standstill: its interval is wider than that of 20 single seconds, each on its own."""
    heavy = weighted_interval([*[Part(100.0, 1.0)] * 40, Part(0.0, 20.0)], confidence=0.99)
    light = weighted_interval([Part(100.0, 1.0), Part(0.0, 1.0), Part(100.0, 1.0)] * 20, confidence=0.99)
    assert heavy.mean == light.mean
    assert heavy.low < light.low < light.high < heavy.high


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weights above"):
        weighted_interval([Part(1.0, 1.0), Part(1.0, 1.0), Part(1.0, weight)], confidence=0.9)


def test_storage_that_stands_still_is_known_to_be_at_zero() -> None:
    assert interval([0.0] * 5, confidence=0.99) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("bad", [[1, 2], [1, 2, -1], [1, 2, math.nan], [1, 2, math.inf]])
def test_what_has_no_interval_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        interval(bad, confidence=0.99)


def test_an_estimate_of_too_few_batches_has_no_interval() -> None:
    found = estimate([Part(10.0, 1.0), Part(60.0, 3.0)], unit="1/s", seconds=8, confidence=0.99)
    assert (found.mean, found.low, found.high, found.samples) == (17.5, None, None, 8)
    assert estimate([Part(10.0, 1.0)] * 3, unit="1/s", seconds=12, confidence=0.99).low is not None
    with pytest.raises(ValueError, match="at least one batch"):
        estimate([], unit="1/s", seconds=0, confidence=0.99)


def test_a_ratio_worked_out_by_hand() -> None:
    found = ratio([of_equal_weight([1, 2], [2, 4]), of_equal_weight([10], [20])], confidence=0.99)
    assert (found.value, found.low, found.high) == pytest.approx((2, 2, 2))
    assert (found.samples, found.problem) == (3, "")


@given(positive, st.floats(0.01, 100))
def test_a_constant_factor_between_the_classes_is_found_exactly(baseline: list[float], factor: float) -> None:
    found = ratio([of_equal_weight(baseline, [value * factor for value in baseline])], confidence=0.99)
    assert found.value == pytest.approx(factor)


@given(positive, positive)
def test_exchanging_the_classes_inverts_the_ratio(first: list[float], second: list[float]) -> None:
    count = min(len(first), len(second))
    one = ratio([of_equal_weight(first[:count], second[:count])], confidence=0.99)
    other = ratio([of_equal_weight(second[:count], first[:count])], confidence=0.99)
    assert one.value is not None
    assert other.value is not None
    assert one.value * other.value == pytest.approx(1.0)
    assert one.low is not None
    assert one.high is not None
    assert one.low <= one.value <= one.high


@pytest.mark.parametrize(
    ("rounds", "problem"),
    [
        ([of_equal_weight([1, 1, 1], [0, 0, 0])], "the candidate did nothing in all of its load"),
        ([of_equal_weight([0, 0, 0], [1, 1, 1])], "the baseline did nothing in all of its load"),
        ([of_equal_weight([0] * 9, [0] * 9)], "the baseline did nothing and the candidate did nothing"),
        ([of_equal_weight([1, 1], [1, 1])], "2 pairs of batches where at least 3"),
        ([], "0 pairs of batches"),
    ],
)
def test_without_a_ratio_it_is_said_why(rounds: list[Round], problem: str) -> None:
    found = ratio(rounds, confidence=0.99)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert problem in found.problem


@pytest.mark.parametrize(
    "wrong", [of_equal_weight([1, 2], [1]), of_equal_weight([math.nan], [1]), of_equal_weight([1], [-1])]
)
def test_segments_that_are_no_pair_are_refused(wrong: Round) -> None:
    with pytest.raises(ValueError, match=r"expected|argument"):
        ratio([wrong], confidence=0.99)


def test_a_ratio_is_of_all_that_was_done_however_it_is_distributed() -> None:
    """A cache that takes three times as much in one second and nothing in the next did one and a half times as much."""
    found = ratio([of_equal_weight([10.0, 10.0], [30.0, 0.0])] * 6, confidence=0.99)
    assert found.value == pytest.approx(1.5)
    weights = ratio(
        [Round([Part(20.0, 2.0)], [Part(60.0, 3.0)]), Round([Part(30.0, 1.0)] * 2, [Part(5, 1.0)] * 2)], confidence=0.9
    )
    assert weights.value == pytest.approx((70 / 5) / (80 / 4))


def test_what_befalls_both_classes_falls_out_of_the_ratio_s_error() -> None:
    machine = [100.0, 50.0, 80.0, 120.0, 60.0, 90.0]
    found = ratio([of_equal_weight(machine, [2 * each for each in machine])], confidence=0.99)
    assert (found.low, found.high) == pytest.approx((2.0, 2.0))


def test_neighbours_that_are_seen_to_be_alike_widen_an_interval_and_never_narrow_it() -> None:
    swinging, alternating = [8.0, 8.0, 8.0, 12.0, 12.0, 12.0] * 3, [8.0, 12.0] * 9
    narrow, wide = (standard_error(each, correlation=0.25) for each in (alternating, swinging))
    assert narrow == pytest.approx(0.6262, abs=1e-4) and narrow == standard_error(alternating, correlation=0.25)
    assert wide > 1.15 * narrow
    few = standard_error(swinging[:11], correlation=0.25)
    assert few == pytest.approx(standard_error(swinging[:11], correlation=0.0) * allowance(0.25))


def test_the_seen_correlation_worked_out_by_hand() -> None:
    """Twelve deviations of either sign: eight of eleven products are 1 and three are -1, over twelve squares."""
    found = 5 / 12
    assert seen_correlation([1.0, 1.0, 1.0, -1.0, -1.0, -1.0] * 2, least=0.25) == pytest.approx(
        found + (1 + 4 * found) / 12 - 0.15 / math.sqrt(12)
    )
    assert seen_correlation([1.0] * 30 + [-1.0] * 30, least=0.25) == 0.9
    assert seen_correlation([1.0, -1.0] * 6, least=0.25) == seen_correlation([0.0] * 12, least=0.25) == 0.25
