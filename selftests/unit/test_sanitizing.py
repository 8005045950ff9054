"""Whatever clusters, pods and load generators say, what is shown of it is text: to a terminal, a CI system, a file."""

from __future__ import annotations

import math
import re
import time
import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acceptance.cluster.api_faults import ApiError
from acceptance.text.errors import StorageFailure
from acceptance.text.redaction import redact
from acceptance.text.sanitizing import on_one_line, printable, sanitize, sanitize_values

ANYTHING = st.text(alphabet=st.one_of(st.characters(codec=None), st.sampled_from("\x1b\x9b\r\n\t:#[")), max_size=60)
# What XML 1.0 takes (section 2.2); a JUnit file with anything else cannot be read at all.
XML = re.compile("[\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


@given(ANYTHING)
def test_nothing_but_text_is_left(text: str) -> None:
    told = printable(text)
    assert XML.fullmatch(told)
    assert not [each for each in told if unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t"]
    assert not [each for each in told if unicodedata.bidirectional(each) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI")]
    told.encode()


@given(ANYTHING)
def test_no_line_is_a_command_to_a_ci_system(text: str) -> None:
    told = printable(text)
    assert not re.search(r"^\s*::", told, re.MULTILINE) and not re.search(r"##\w*\[", told)


@given(ANYTHING)
def test_what_is_fit_to_be_shown_stays_so(text: str) -> None:
    assert sanitize(sanitize(text)) == sanitize(text)


@given(st.text(alphabet=st.characters(categories=("L", "N", "Zs")), max_size=60))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x1b[2Jgone\x07", "\\x1b[2Jgone\\x07"),
        ("one\r\x1b[1mPASS", "one\\r\\x1b[1mPASS"),
        ("an error\n::error file=x::y", "an error\n: :error file=x::y"),
        ("##vso[task.setvariable]x", "# #vso[task.setvariable]x"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("disk-\udcff", "disk-\\udcff"),
        ("tests/a.py::test[b]: 1,204 IOPS, 90 % µs", "tests/a.py::test[b]: 1,204 IOPS, 90 % µs"),
    ],
)
def test_what_was_there_can_still_be_seen(text: str, told: str) -> None:
    assert printable(text) == told


def test_errors_are_fit_to_be_shown() -> None:
    assert str(StorageFailure("fio said: \x1b[31mpassword=hunter2hunter2")) == "fio said: \\x1b[31mpassword=(not shown)"
    answer = ApiError(status=500, request="GET /x", message="cannot log in as https://me:hunter2@store\n::stop")
    assert str(answer).endswith("https://(not shown)@store\n: :stop")


def test_all_texts_of_a_document_are_shown_and_all_else_is_as_it_was() -> None:
    document = {"a\x00": ["\x1b", 1, None, {"b": True}], "series": [1.0, 2.0], "pair": ("\x07", 2)}
    assert sanitize_values(document) == {
        "a\\x00": ["\\x1b", 1, None, {"b": True}],
        "series": [1.0, 2.0],
        "pair": ["\\x07", 2],
    }


def test_an_event_is_one_line() -> None:
    assert (
        on_one_line("Warning Failed: first\nPASS  fast: all is well\r\n")
        == "Warning Failed: first PASS fast: all is well"
    )


# What patterns begin with, and what could have them scan the rest of the text again and again.
ATOMS = (
    *(
        "-",
        "--",
        "a",
        "\n",
        " ",
        ":",
        "://",
        "=",
        "@",
        "#",
        "eyJ",
        "eyJaaaaaaaa-",
        "AQ",
        "token",
        "--token",
        "password",
    ),
    *(
        "secret ",
        "bearer ",
        "authorization",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "://a:",
        "x-",
        "AKIA",
        "ghp_",
        "sig = ",
    ),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4).map("".join))
@example("-").via("a run was stopped for a minute by 60,000 of them")
@example("\n").via("a class was looked at for half an hour")
@example("eyJaaaaaaaa-")
def test_a_long_text_takes_as_much_longer_as_it_is(atoms: str) -> None:
    """Eight times the text takes about eight times as long; sixty-four times, where each place is scanned from each."""

    def took_s(length: int) -> float:
        text = atoms * (length // len(atoms))
        began_s = time.process_time()
        printable(redact(text))
        return time.process_time() - began_s

    short_s, long_s = min(took_s(2_000) for _ in range(10)), math.inf
    for _ in range(30):  # until it could be measured: no noise makes quick what takes so much longer
        long_s = min(long_s, took_s(16_000))
        if long_s < 28 * max(short_s, 0.0005):
            return
    raise AssertionError(f"{short_s} s and {long_s} s")
