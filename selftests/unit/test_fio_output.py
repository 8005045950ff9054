"""All that one fio prints: samples as they come, its own words when it fails, the text unchanged."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acceptance.loads.fio.output import FioOutput

Recorded = Callable[[str], str]


def output(*pieces: bytes, jobs: tuple[str, ...] = ("writes",), close: bool = True) -> FioOutput:
    found = FioOutput(jobs=jobs)
    for piece in pieces:
        found.feed(piece)
    if close:
        found.close()
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(data=st.data())
def test_the_pieces_in_which_output_comes_make_no_difference(recorded: Recorded, data: st.DataObject) -> None:
    text = ("größer als µ: " + recorded(data.draw(st.sampled_from(["ramp", "full", "stalled"])))).encode()
    places = sorted(data.draw(st.lists(st.integers(0, 30) | st.integers(0, len(text)), max_size=6)))
    pieced = output(*(text[first:last] for first, last in pairwise([0, *places, len(text)])))
    whole = output(text)
    assert pieced.samples == whole.samples
    assert ("".join(pieced.pieces()), pieced.messages, pieced.error) == (text.decode(), whole.messages, whole.error)


def test_a_character_may_come_in_two_pieces() -> None:
    assert "".join(output(b"\xc2", b"\xb5\n").pieces()) == "µ\n"


def test_a_good_run_has_samples_a_version_and_no_error(recorded: Recorded) -> None:
    found = output(recorded("ramp").encode())
    assert [sample.counts["write"].ios for sample in found.samples] == [30, 29]
    assert (found.error, found.fio_version, found.messages) == (None, "fio-3.33", "fio printed no message")


def test_samples_are_there_before_fio_has_ended(recorded: Recorded) -> None:
    text = recorded("no_ramp").encode()
    found = output(text[: len(text) * 2 // 3], close=False)
    assert len(found.samples) == 1
    assert found.error is None


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("refused", "fio's job writes ended with error 22", "Invalid argument: write offset=0, buflen=2300"),
        ("full", "fio's job writes ended with error 28", "No space left on device"),
        ("no_folder", None, "failed to create dir (/proc/nowhere): No such file or directory"),
        ("rejected", None, "Bad option <no_such_option=1>; Did you mean description?"),
    ],
)
def test_a_failure_is_told_in_fios_own_words(recorded: Recorded, name: str, error: str | None, message: str) -> None:
    found = output(recorded(name).encode())
    assert found.error == error
    assert message in found.messages


def test_what_was_measured_before_an_error_is_kept_and_nothing_after(recorded: Recorded) -> None:
    found = output(recorded("full").encode(), recorded("no_ramp").encode())
    assert len(found.samples) == 1
    assert found.error == "fio's job writes ended with error 28"


def test_output_that_breaks_off_is_an_error_only_once_it_has_ended(recorded: Recorded) -> None:
    text = recorded("no_ramp").encode()[:-100]
    assert output(text, close=False).error is None
    assert output(text).error == "its output breaks off in the middle of a document"


def test_the_first_error_stays(recorded: Recorded) -> None:
    for second in (recorded("refused"), recorded("refused")[:-20]):
        found = output(recorded("full").encode(), second.encode())
        assert found.error == "fio's job writes ended with error 28"


def test_a_job_that_fio_does_not_know_is_named(recorded: Recorded) -> None:
    assert output(recorded("no_ramp").encode(), jobs=("reads",)).error == "fio's result lacks the job reads"


def test_bytes_that_are_no_text_do_not_end_the_reading(recorded: Recorded) -> None:
    found = output(b"\xff\xfe\n", recorded("no_ramp").encode())
    assert len(found.samples) == 2
    assert found.messages == "\N{REPLACEMENT CHARACTER}" * 2
