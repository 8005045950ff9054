"""What the page on own tests lists is what there is: fixtures, limits, marks, names to import; all else says so."""

from __future__ import annotations

import importlib
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from acceptance import public
from fixtures import plugins
from fixtures.marks import MARKS
from fixtures.parametrization import OF_SECTIONS
from selftests.unit.docs_pages import PAGES, ROOT

PAGE = PAGES["docs/own-tests.md"]
FIXTURE = type(pytest.fixture(lambda: None))


def table(first: str) -> list[list[str]]:
    """The rows below the head that begins so, as the texts of their cells."""
    rows = PAGE.partition(f"| {first} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def fixtures() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All fixtures of the suite, by their names, as the functions that make them."""
    for plugin in plugins.NAMES:
        for name, found in vars(importlib.import_module(plugin)).items():
            if isinstance(found, FIXTURE):
                yield name, found.__wrapped__


FUNCTIONS = dict(fixtures())


def first_line(found: object) -> str:
    return str(found.__doc__).strip().splitlines()[0]


def test_the_fixtures_are_those_that_do_not_say_that_they_are_private() -> None:
    listed = {name.strip("`"): what for name, what, _ in table("fixture")}
    found = {name: first_line(each) for name, each in FUNCTIONS.items()}
    assert len(found) > len(listed) > 10
    public = {name: what for name, what in found.items() if not what.startswith("Private: ")}
    assert listed.items() <= public.items()
    assert [name for name in public if name not in listed and not on_its_page(rf"`{name}\.against\(")] == []


@pytest.mark.parametrize(("fixture", "_", "called"), [pytest.param(*each, id=each[0]) for each in table("fixture")])
def test_what_is_said_to_be_called_is_there(fixture: str, _: str, called: str) -> None:
    hints = typing.get_type_hints(FUNCTIONS[fixture.strip("`")])
    given, origin = hints["return"], typing.get_origin(hints["return"])
    if origin is not None:
        given = typing.get_args(given)[0] if origin in (Iterator, Callable) else origin
    assert [name for name in re.findall(r"`(\w+)`", called) if name not in names_of(given)] == []


def names_of(given: type) -> set[str]:
    return {*dir(given), *getattr(given, "model_fields", ())}


def test_the_limits_are_all_that_tests_are_made_for() -> None:
    files = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "fixtures").glob("*.py"))
    found = {*re.findall(r'"(\w+)" (?:not )?in metafunc\.fixturenames', files), *OF_SECTIONS}
    paragraph = PAGE.partition("The limits file gives what you judge")[2].partition("\n\n")[0]
    listed, public = set(re.findall(r"`(\w*(?:limit|rule))`", paragraph)), found - {"storage_class", "imported_file"}
    assert set() != listed <= public
    assert [name for name in public - listed if not on_its_page(rf"\.against\({name}\)`")] == []


def on_its_page(pattern: str) -> bool:
    """Whether a page about one subject has it."""
    return any(re.search(pattern, text) for page, text in PAGES.items() if page != "docs/own-tests.md")


def test_the_marks_are_those_that_are_registered() -> None:
    assert [(name.strip("`"), what) for name, what in table("mark")] == list(MARKS.items())


def test_what_may_be_imported_is_all_that_the_module_offers() -> None:
    listed = {name.strip("`"): what for name, what in table("name")}
    assert listed == {name: first_line(getattr(public, name)) for name in public.__all__}
