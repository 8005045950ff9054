"""The docs, held against what they speak of: links and anchors, options, commands, files."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

import pytest

from acceptance.__main__ import main as acceptance_main
from embedded_cluster.__main__ import main as embedded_main
from release.__main__ import main as release_main
from selftests.unit.docs_pages import PAGES, ROOT, unfenced
from selftests.unit.named_options import unknown_options
from storage_acceptance.command_line import COMMANDS


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors that GitHub makes of the page's headings."""
    text = (ROOT / page).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", unfenced(text), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", unfenced(PAGES[page])):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        file = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        there = file.exists() and (not anchor or anchor in anchors(file.relative_to(ROOT).as_posix()))
        lost += [] if there else [link]
    assert lost == []


def test_each_page_is_in_the_index() -> None:
    listed = set(re.findall(r"\]\(([^)]+)\)", PAGES["docs/README.md"]))
    assert {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")} - {"README.md"} - listed == set()


@pytest.mark.parametrize("page", PAGES)
def test_options_that_are_named_exist(page: str) -> None:
    """By their present names, and with a part that their group has."""
    assert unknown_options(PAGES[page]) == set()


def test_options_are_looked_for() -> None:
    assert len(set(re.findall(r"--storage-[a-z-]+[a-z]", "".join(PAGES.values())))) > 10


COMMAND = re.compile(r"python -m (acceptance|embedded_cluster|release) ([a-z][a-z|-]*)([^`\n]*)")
ENTRY = {"acceptance": acceptance_main, "embedded_cluster": embedded_main, "release": release_main}


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_are_named_exist_with_their_options(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = []
    for module, words, rest in COMMAND.findall(PAGES[page]):
        for word in words.split("|"):
            with suppress(SystemExit):
                ENTRY[module]([word, "--help"])
            told = capsys.readouterr().out
            options = re.findall(r"(?<= )--[a-z][a-z-]*", rest.partition(" -- ")[0])
            unknown += [f"{module} {word} {option}" for option in ("usage:", *options) if option not in told]
    assert unknown == []


@pytest.mark.parametrize("page", PAGES)
def test_what_the_command_is_told_to_do_it_can(page: str) -> None:
    named = re.findall(r"(?:`|^ {4})storage-acceptance ([a-z][a-z-]*)", PAGES[page], re.MULTILINE)
    assert set(named) - {command.name for command in COMMANDS} == set()


def test_commands_are_looked_for() -> None:
    assert len(set(COMMAND.findall("".join(PAGES.values())))) > 2


@pytest.mark.parametrize("page", PAGES)
def test_targets_of_make_that_are_named_exist(page: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"(?:`|^ {4})make ([a-z-]+)", PAGES[page], re.MULTILINE)
    assert set(named) - set(targets) == set()


FOLDERS = "acceptance|benchmarks|deploy|docs|embedded_cluster|fixtures|profiles|release|selftests|tests"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    """NAME and SUBJECT stand for any."""
    named = [re.sub("NAME|SUBJECT", "*", each) for each in re.findall(rf"`((?:{FOLDERS})/[\w./*-]*)", PAGES[page])]
    assert [each for each in named if not any(ROOT.glob(each.rstrip("/")))] == []
