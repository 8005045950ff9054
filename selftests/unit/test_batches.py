"""Batches by the clock: equal seconds as they come, long silences as long as they are, and all time counts."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.measuring.batches import batches, first_seconds, loaded_s, seconds_of


def samples(*durations_s: float) -> list[Sample]:
    return [Sample(duration_s=each, counts={name: Counts() for name in DIRECTIONS}) for each in durations_s]


def lengths(found: list[Sample]) -> list[float]:
    return [each.duration_s for each in found]


durations = st.lists(st.floats(0.5, 20.0), min_size=1, max_size=30)


@given(st.integers(0, 60), st.integers(1, 6), st.floats(0.98, 1.004))
def test_seconds_of_equal_length_are_counted_one_by_one(count: int, length: int, duration_s: float) -> None:
    load = samples(*[duration_s] * count)
    assert seconds_of(load) == count
    whole = count // length
    # What fills no batch belongs to the last, or is the only one.
    expected = [length] * whole if whole else [count] * (count > 0)
    assert list(map(len, batches(load, length=length)))[:-1] == expected[:-1]
    assert sum(map(len, batches(load, length=length))) == count


def test_a_silence_is_as_long_as_it_is() -> None:
    load = samples(1, 1, 9, 1)
    assert seconds_of(load) == 12
    assert loaded_s([load, load]) == 24
    assert [lengths(list(batch)) for batch in batches(load, length=4)] == [[1, 1, 9, 1]]
    assert [lengths(list(batch)) for batch in batches(load, length=1)] == [[1], [1], [9], [1]]
    assert lengths(list(first_seconds(load, seconds=3))) == [1, 1, 9]


@given(durations, st.integers(1, 6))
def test_every_sample_is_in_one_batch_and_in_order(durations_s: list[float], length: int) -> None:
    load = samples(*durations_s)
    found = batches(load, length=length)
    assert list(chain(*found)) == load
    assert all(seconds_of(each) >= length for each in found) or len(found) == 1


@given(durations, st.integers(1, 60))
def test_the_first_seconds_are_enough_and_no_more(durations_s: list[float], wanted: int) -> None:
    load = samples(*durations_s)
    found = first_seconds(load, seconds=wanted)
    assert list(found) == load[: len(found)]
    assert seconds_of(found[:-1]) < wanted
    assert seconds_of(found) >= wanted or len(found) == len(load)


def test_a_batch_needs_a_length() -> None:
    with pytest.raises(ValueError, match="at least a second"):
        batches(samples(1), length=0)
