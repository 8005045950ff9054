"""Names in the code say what they hold, docstrings what is done, and texts use the terms of docs/glossary.md."""

from __future__ import annotations

import ast
import re

import pytest

from selftests.language import (
    MOST_EMPTY_NAMES,
    MOST_QUESTIONS,
    PRIVATE_WORDS,
    QUESTIONS,
    ROOT,
    bound_names,
    counts,
    docstrings,
    is_empty,
    private_words,
    texts,
    trees,
)
from selftests.unit.docs_pages import PAGES, unfenced


@pytest.mark.parametrize("name", ["each", "found", "_told", "what", "others", "SHOWN", "judged", "ours"])
def test_pronouns_and_participles_say_nothing(name: str) -> None:
    assert is_empty(name)


@pytest.mark.parametrize("name", ["claim", "expected", "speed", "found_nodes", "elapsed_seconds", "read", "_"])
def test_other_names_say_something(name: str) -> None:
    assert not is_empty(name)


def test_all_ways_to_bind_a_name_count() -> None:
    tree = ast.parse("class A:\n  b: int = 1\ndef c(d, *e, f=1, **g):\n  for h in d: i = [j for j in h]\n  lambda k: k")
    assert sorted(bound_names(tree)) == ["A", *"bcdefghijk"]


def test_docstrings_of_all_kinds_count() -> None:
    tree = ast.parse('"""What."""\nclass A:\n  """How."""\n  def b(self):\n    """Whether."""\n')
    assert [bool(QUESTIONS.match(text)) for text in docstrings(tree)] == [True, True, True]


def test_names_say_what_they_hold() -> None:
    names, empty, _ = counts()
    assert sum(empty.values()) < MOST_EMPTY_NAMES * sum(names.values()), empty.most_common(10)


def test_docstrings_say_what_is_done() -> None:
    _, _, questions = counts()
    assert sum(questions.values()) < MOST_QUESTIONS, questions.most_common(10)


@pytest.mark.parametrize("text", PRIVATE_WORDS)
def test_private_words_are_found_whatever_their_case(text: str) -> None:
    assert private_words(f"A pod. {text.capitalize()} a volume.") == [text]
    assert private_words(f"x{text}x") == []


def what_to_write(private: dict[str, list[str]]) -> dict[str, str]:
    """Each private word that was found, with the words for it."""
    return {word: PRIVATE_WORDS[word] for words in private.values() for word in words}


def test_pages_use_the_terms_of_the_field() -> None:
    """Code aside, and messages in quotation marks, which are the code's."""
    prose = {path: re.sub(r'"[^"]*"|^ {4}.*$', "", unfenced(text), flags=re.MULTILINE) for path, text in PAGES.items()}
    private = {path: words for path, text in prose.items() if (words := private_words(text))}
    assert private == {}, what_to_write(private)


def test_docstrings_and_messages_use_the_terms_of_the_field() -> None:
    private = {str(path): words for path, tree in trees() if (words := private_words("\n".join(texts(tree))))}
    assert private == {}, what_to_write(private)


def test_limits_and_manifests_use_the_terms_of_the_field() -> None:
    """Their comments and reasons too: reports quote some, and the others are read before a run."""
    patterns = ("thresholds.yaml", "workloads/*/limits.yaml", "deploy/**/*.yaml")
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert len(paths) > 20
    private = {str(path): words for path in paths if (words := private_words(path.read_text(encoding="utf-8")))}
    assert private == {}, what_to_write(private)


def test_patterns_and_single_words_are_no_texts() -> None:
    tree = ast.parse('"""A pod."""\na = "beside"\nb = "(?P<behaviour>a b)"\nc = f"beside {a} b"\n')
    assert list(texts(tree)) == ["A pod."]
