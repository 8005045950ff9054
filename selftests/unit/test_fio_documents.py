"""Documents out of fio's output: whole ones only, whatever the pieces, and every other word kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acceptance.loads.fio.documents import DocumentReader

Recorded = Callable[[str], str]
given_records = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)


def read(*pieces: str) -> tuple[list[dict[str, Any]], DocumentReader]:
    reader = DocumentReader()
    documents = [document for piece in pieces for document in reader.feed(piece)]
    return documents + reader.close(), reader


def cut(text: str, places: list[int]) -> list[str]:
    return [text[first:last] for first, last in pairwise([0, *sorted(places), len(text)])]


@given_records
@given(data=st.data())
def test_the_pieces_in_which_output_comes_make_no_difference(record: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(record)), max_size=6))
    documents, reader = read(*cut(record, places))
    whole, wholly_read = read(record)
    assert (documents, reader.messages) == (whole, wholly_read.messages)
    assert not reader.is_unfinished


def test_output_that_comes_by_single_characters_is_read(recorded: Recorded) -> None:
    assert read(*recorded("refused"))[0] == read(recorded("refused"))[0]


def test_a_document_is_handed_out_as_soon_as_it_is_whole(recorded: Recorded) -> None:
    text = recorded("no_ramp")
    end = text.index("\n}\n") + len("\n}\n")
    reader = DocumentReader()
    assert reader.feed(text[: end - 1]) == []
    assert len(reader.feed("\n")) == 1


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        (
            "refused",
            [
                "fio: io_u error on file data: Invalid argument: write offset=0, buflen=2300",
                "fio: first direct IO errored. File system may not support direct IO, or iomem_align= is bad, or "
                "invalid block size. Try setting direct=0.",
                "fio: pid=27868, err=22/file:io_u.c:1876, func=io_u error, error=Invalid argument",
            ],
        ),
        ("no_folder", ["fio: failed to create dir (/proc/nowhere): No such file or directory"]),
        (
            "rejected",
            ["Bad option <no_such_option=1>", "Did you mean description?", "fio: job writes dropped"],
        ),
    ],
)
def test_what_fio_says_beside_its_documents_is_kept(recorded: Recorded, name: str, messages: list[str]) -> None:
    assert read(recorded(name))[1].messages == messages


def test_messages_between_two_documents_are_kept(recorded: Recorded) -> None:
    documents, reader = read(recorded("full"))
    assert len(documents) == 3
    assert [message.partition(":")[0] for message in reader.messages] == ["fio", "fio"]


@given_records
@given(data=st.data())
def test_a_message_of_fio_inside_a_document_does_not_spoil_it(recorded: Recorded, data: st.DataObject) -> None:
    text = recorded("no_ramp")
    lines = text.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines)))
    documents, reader = read("".join([*lines[:place], "fio: io_u error\n", *lines[place:]]))
    assert documents == read(text)[0]
    assert reader.messages == ["fio: io_u error"]


def test_the_last_document_needs_no_newline(recorded: Recorded) -> None:
    text = recorded("no_ramp")
    documents, reader = read(text.rstrip("\n"))
    assert documents == read(text)[0]
    assert not reader.is_unfinished


def test_lines_may_end_as_on_a_terminal(recorded: Recorded) -> None:
    text = recorded("no_ramp")
    assert read(text.replace("\n", "\r\n"))[0] == read(text)[0]


def test_a_document_that_breaks_off_stays_unfinished(recorded: Recorded) -> None:
    text = recorded("no_ramp")
    documents, reader = read(text[: len(text) * 2 // 3])
    assert len(documents) == 2
    assert reader.is_unfinished


def test_after_a_document_that_broke_off_the_next_is_read(recorded: Recorded) -> None:
    text = recorded("no_ramp")
    documents, reader = read(text[:300] + "\n" + text)
    assert documents == read(text)[0]
    assert not reader.is_unfinished


def test_a_document_that_is_no_json_becomes_a_message() -> None:
    documents, reader = read('{\n"jobs" : [,]\n}\n{\n"jobs": []\n}\n')
    assert documents == [{"jobs": []}]
    assert reader.messages == ["unreadable document of 16 characters from fio"]


@given(st.text(alphabet='{}\n\r ab":fio,[]1', max_size=60))
def test_no_output_breaks_the_reader(text: str) -> None:
    for document in read(text)[0]:
        json.dumps(document)
