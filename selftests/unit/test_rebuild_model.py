"""From times to the largest volume, and from progress to rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.trials.rebuild.model import MOST_POINTS, ProgressPoint, largest_volume, largest_volumes, rates

TIMES = st.floats(min_value=0.1, max_value=1e6)


@given(size=st.floats(min_value=1, max_value=1e15), seconds=TIMES, more=st.floats(min_value=1.01, max_value=10))
def test_a_slower_rebuild_never_allows_a_larger_volume(size: float, seconds: float, more: float) -> None:
    fast = largest_volume(size, seconds, time_limit_s=86400)
    assert largest_volume(size, seconds * more, time_limit_s=86400) < fast
    assert largest_volume(size, seconds, time_limit_s=86400, snapshots=2) == pytest.approx(fast / 2)


@pytest.mark.parametrize(("seconds", "snapshots"), [(0.0, 1), (-1.0, 1), (float("nan"), 1), (1.0, 0)])
def test_what_is_no_time_and_no_number_is_refused(seconds: float, snapshots: int) -> None:
    with pytest.raises(ValueError, match="expected a time above zero"):
        largest_volume(1, seconds, time_limit_s=1, snapshots=snapshots)


def test_one_rebuild_has_no_interval_and_three_have_one() -> None:
    once = largest_volumes(100, [10], time_limit_s=1000, snapshots=1, confidence=0.98)
    assert (once.mean, once.low, once.high) == (10_000, None, None)
    thrice = largest_volumes(100, [9, 10, 11], time_limit_s=1000, snapshots=1, confidence=0.98)
    assert thrice.low is not None and thrice.high is not None
    assert thrice.low < thrice.mean < thrice.high


def at(*shares: float, every_s: float = 2.0) -> list[ProgressPoint]:
    return [ProgressPoint(at_s=number * every_s, share=share) for number, share in enumerate(shares)]


def test_rates_are_what_was_added_between_two_looks() -> None:
    found = rates(at(0.0, 0.5, 0.6, 1.0), size=1000)
    assert [(each.from_s, each.to_s, round(each.rate)) for each in found] == [(0, 2, 250), (2, 4, 50), (4, 6, 200)]


def test_a_share_that_is_brought_up_to_date_now_and_then_makes_no_comb() -> None:
    """Longhorn's moves each 5 s, and is looked at each second: it is rebuilt in between, too."""
    shares = [0.22] * 5 + [0.45] * 5 + [0.68] * 5 + [0.90] * 4 + [1.0]
    found = rates(at(*shares, every_s=1.0), size=1000)
    assert [(each.from_s, each.to_s, round(each.rate)) for each in found] == [
        (0, 5, 46),
        (5, 10, 46),
        (10, 15, 44),
        (15, 19, 25),
    ]


def test_a_share_that_stands_still_to_the_end_makes_no_rate() -> None:
    assert [(rate.from_s, rate.to_s) for rate in rates(at(0.0, 0.5, 0.5, 0.5), size=1)] == [(0, 2)]
    assert rates(at(0.5, 0.5, 0.5), size=1) == []


def test_a_real_standstill_is_one_slow_rate() -> None:
    assert [round(rate.rate) for rate in rates(at(0.0, 0.5, *[0.5] * 98, 1.0), size=1000)] == [250, 3]


def test_a_count_that_begins_anew_is_no_rate_below_zero() -> None:
    found = rates(at(0.0, 0.5, 0.1, 0.3), size=1000)
    assert [(each.from_s, round(each.rate)) for each in found] == [(0, 250), (4, 100)]


def test_a_count_that_falls_back_within_a_second_is_no_rate_of_zero() -> None:
    assert rates(at(0.0, 1.0, 0.0, every_s=0.5), size=1) == []


@pytest.mark.parametrize("points", [[], at(0.3)])
def test_without_two_looks_there_is_no_rate(points: list[ProgressPoint]) -> None:
    assert rates(points, size=1) == []


@given(shares=st.lists(st.floats(min_value=0, max_value=1), min_size=2, max_size=2000), every_s=TIMES)
def test_whatever_progress_does_rates_are_few_and_never_negative(shares: list[float], every_s: float) -> None:
    found = rates(at(*shares, every_s=every_s), size=1e9)
    assert all(each.rate > 0.0 and each.to_s > each.from_s for each in found)
    assert len(found) <= MOST_POINTS + 1


def test_what_was_rebuilt_adds_up() -> None:
    found = rates(at(0.0, 0.1, 0.4, 0.4, 1.0, every_s=0.4), size=1000)
    assert sum((each.to_s - each.from_s) * each.rate for each in found) == pytest.approx(1000)
