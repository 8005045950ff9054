"""The strict YAML reader: types of YAML 1.2, no duplicates, lines of everything, nothing raised."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text.strict_yaml import load

texts = st.text(st.sampled_from("abcxyz019 :#-{}[]'\"\\\n\t~&*!%@`µ"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | texts
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=12
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1:30", "1:30"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("1e3", 1000.0),
        ("'1e3'", "1e3"),
        ("010", 10),
        ("0o17", 15),
        ("2024-01-01", "2024-01-01"),
        ("750", 750),
        ("10ms", "10ms"),
        ("~", None),
        ("1_000", "1_000"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(text: str, value: object) -> None:
    document = load(f"key: {text}")
    assert document.data == {"key": value}
    assert isinstance(document.data, dict)
    assert type(document.data["key"]) is type(value)
    assert document.problems == ()


def test_every_duplicate_key_is_reported_with_its_line_and_path() -> None:
    document = load("a: 1\nb:\n  c: 1\n  c: 2\na: 3\na: 4\n")
    assert [(problem.line, problem.path) for problem in document.problems] == [
        (4, ("b", "c")),
        (5, ("a",)),
        (6, ("a",)),
    ]
    assert "line 1" in document.problems[1].text
    assert document.data == {"a": 1, "b": {"c": 1}}


def test_equal_keys_written_differently_are_duplicates() -> None:
    assert len(load("1: a\n'1': b\n").problems) == 1


def test_lines_are_those_of_keys_and_items_and_fall_back_to_the_nearest_ancestor() -> None:
    document = load("a:\n  b:\n    - x\n    - y: 1\n")
    assert document.line_of(("a", "b")) == 2
    assert document.line_of(("a", "b", 1)) == 4
    assert document.line_of(("a", "b", 1, "nothing", "here")) == 4
    assert document.line_of(("nothing",)) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [", "expected one valid YAML document"),
        ("a: 1\n---\nb: 2", "single document"),
        ("a:\n\t- x", "valid YAML"),
        ("a: \x00", "valid YAML"),
        ("[" * 1200 + "]" * 1200, "recursion"),
        ("a: &x 1\nb: *x", "an alias"),
        ("- &x [*x]", "an alias"),
        ("a: !!python/object:os.system 1", "tag"),
        ("a: !!str 12", "tag"),
        ("? [a]\n: 1", "a key that is text"),
    ],
)
def test_what_cannot_be_read_strictly_is_a_problem_and_no_exception(text: str, says: str) -> None:
    problems = load(text).problems
    assert problems
    assert says in problems[0].text


def test_an_empty_document_holds_nothing() -> None:
    assert load("").data is None
    assert load("").problems == ()


@given(documents)
def test_reads_json_as_json_does(data: object) -> None:
    document = load(json.dumps({"data": data}, ensure_ascii=False))
    assert document.problems == ()
    assert document.data == {"data": data}


@given(st.text(max_size=60))
def test_never_raises(text: str) -> None:
    load(text)
