"""The file of records: whatever is done to it, every acknowledged record that is not whole is found, and no other."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from acceptance.trials.crashes.acknowledged_records import lost_records, ranges, record, whole_records

TOKEN = "0123456789abcdef"
SIZE = len(record(1, token=TOKEN))
counts = st.integers(min_value=0, max_value=40)


def ledger(count: int, token: str = TOKEN) -> bytes:
    return b"".join(record(number, token=token) for number in range(1, count + 1))


def lost(content: bytes, acknowledged: int) -> list[int]:
    return lost_records(content, token=TOKEN, acknowledged_count=acknowledged)


def test_records_are_all_of_one_size_and_tell_their_number() -> None:
    assert {len(record(number, token=TOKEN)) for number in (1, 9_999, 9_999_999_999)} == {SIZE}
    assert record(17, token=TOKEN).startswith(b"0000000017 0123456789abcdef ")
    assert record(17, token=TOKEN).endswith(b"\n")


@given(counts, counts, st.binary(max_size=SIZE))
def test_what_was_not_acknowledged_is_not_demanded(acknowledged: int, more: int, torn: bytes) -> None:
    """Records beyond the last acknowledged one, whole or torn, are no loss."""
    assert lost(ledger(acknowledged + more) + torn, acknowledged) == []


@given(st.data())
def test_a_file_that_was_cut_off_lacks_what_is_behind_the_cut(data: st.DataObject) -> None:
    acknowledged = data.draw(st.integers(min_value=1, max_value=40))
    kept = data.draw(st.integers(min_value=0, max_value=acknowledged * SIZE - 1))
    assert lost(ledger(acknowledged)[:kept], acknowledged) == list(range(kept // SIZE + 1, acknowledged + 1))


@given(st.data())
def test_one_byte_that_changed_is_one_record_lost(data: st.DataObject) -> None:
    acknowledged = data.draw(st.integers(min_value=1, max_value=40))
    place = data.draw(st.integers(min_value=0, max_value=acknowledged * SIZE - 1))
    content = bytearray(ledger(acknowledged))
    content[place] ^= data.draw(st.integers(min_value=1, max_value=255))
    assert lost(bytes(content), acknowledged) == [place // SIZE + 1]


@given(st.data())
def test_records_that_came_back_empty_are_lost_each(data: st.DataObject) -> None:
    acknowledged = data.draw(st.integers(min_value=1, max_value=40))
    empty = data.draw(st.sets(st.integers(min_value=1, max_value=acknowledged)))
    content = bytearray(ledger(acknowledged))
    for number in empty:
        content[(number - 1) * SIZE : number * SIZE] = bytes(SIZE)
    assert lost(bytes(content), acknowledged) == sorted(empty)


@given(st.data())
def test_a_record_out_of_its_place_is_lost(data: st.DataObject) -> None:
    """Nor can another record, a line twice, or what an earlier writer left stand in for it."""
    acknowledged = data.draw(st.integers(min_value=2, max_value=40))
    number = data.draw(st.integers(min_value=1, max_value=acknowledged))
    other = data.draw(st.integers(min_value=1, max_value=acknowledged).filter(lambda each: each != number))
    stand_in = data.draw(st.sampled_from([record(other, token=TOKEN), record(number, token="f" * 16)]))
    content = ledger(number - 1) + stand_in + ledger(acknowledged)[number * SIZE :]
    assert lost(content, acknowledged) == [number]


def test_records_that_slipped_by_one_place_are_all_lost() -> None:
    assert lost(b"\n" + ledger(5), 5) == [1, 2, 3, 4, 5]


@given(st.binary(max_size=10 * SIZE), st.integers(min_value=1, max_value=12))
def test_rubbish_is_no_record(content: bytes, acknowledged: int) -> None:
    assert lost(content, acknowledged) == list(range(1, acknowledged + 1))


@given(counts, st.binary(max_size=SIZE - 1))
def test_whole_records_are_counted_without_the_torn_one(count: int, torn: bytes) -> None:
    assert whole_records(ledger(count) + torn, token=TOKEN) == count


@given(st.data())
def test_records_that_are_not_whole_are_not_counted(data: st.DataObject) -> None:
    count = data.draw(st.integers(min_value=1, max_value=40))
    empty = data.draw(st.sets(st.integers(min_value=1, max_value=count)))
    content = bytearray(ledger(count))
    for number in empty:
        content[(number - 1) * SIZE : number * SIZE] = bytes(SIZE)
    assert whole_records(bytes(content), token=TOKEN) == count - len(empty)


@given(st.sets(st.integers(min_value=1, max_value=60)))
def test_ranges_hold_the_same_numbers_and_do_not_touch(numbers: set[int]) -> None:
    found = ranges(sorted(numbers))
    assert [index for first, last in found for index in range(first, last + 1)] == sorted(numbers)
    assert all(later[0] > before[1] + 1 for before, later in pairwise(found))
