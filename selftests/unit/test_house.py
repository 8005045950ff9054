"""The house: its rooms are those that the documentation shows and lint guards, and no file is long."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from selftests.unit.docs_pages import PAGES, ROOT

ENGINE = ROOT / "acceptance"
PAGE = PAGES["docs/development.md"]
ROOMS = {path.parent.name for path in ENGINE.glob("*/__init__.py")}
LONGEST = 300
"""lines of a file, those of selftests aside: a file of tests holds many small ones"""


def layers(contract_id: str = "floors") -> list[set[str]]:
    """The floors that lint guards, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {contract["id"]: contract for contract in settings["tool"]["importlinter"]["contracts"]}
    return [set(layer.split(" | ")) for layer in contracts[contract_id]["layers"]]


def shown() -> list[set[str]]:
    """The floors of the picture in the documentation: what stands on the left."""
    picture = PAGE.partition("```\n")[2].partition("```")[0]
    return [set(line[:35].replace("|", " ").split()) for line in picture.splitlines()]


def test_there_are_few_rooms_and_nothing_lies_about() -> None:
    assert len(ROOMS) <= 16
    loose = {path.name for path in ENGINE.iterdir() if path.is_file()}
    assert loose == {"__init__.py", "__main__.py", "py.typed"}


def test_the_picture_shows_the_floors_that_lint_guards() -> None:
    assert shown() == layers()[1:]
    assert layers()[0] == {"__main__"}
    assert set().union(*shown()) == ROOMS


def test_lint_makes_no_exception() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.importlinter]")[2]
    assert (
        re.findall(r"^\s*(ignore_imports|exhaustive_ignores|skip_descendants|unmatched\w*)", text, re.MULTILINE) == []
    )


def test_a_trial_that_lint_does_not_list_is_used_by_no_other() -> None:
    folder = ENGINE / "trials"
    unlisted = {path.stem for path in folder.iterdir()}.difference(*layers("trials"))
    used = {
        (path.name, name)
        for path in folder.rglob("*.py")
        for name in re.findall(r"\bacceptance\.trials(?:\.| import )(\w+)", path.read_text(encoding="utf-8"))
        if name in unlisted - {Path(path.relative_to(folder).parts[0]).stem}
    }
    assert used == set()


def test_files_that_the_page_names_exist() -> None:
    """Paths below the engine; SUBJECT and NAME stand for any."""
    named = re.findall(rf"`((?:{'|'.join(sorted(ROOMS))})/[\w./-]*)`", PAGE)
    assert len(named) > 40
    there = [re.sub("SUBJECT|NAME", "*", each) for each in named]
    assert [each for each in there if not any(ENGINE.glob(each.rstrip("/")))] == []


@pytest.mark.parametrize("folder", ["acceptance", "embedded_cluster", "fixtures", "release", "tests", "benchmarks"])
def test_no_file_is_long(folder: str) -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in (ROOT / folder).rglob("*.py")}
    assert lines
    assert {path: count for path, count in lines.items() if count > LONGEST} == {}


def test_hooks_run_what_lint_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = makefile.partition("\nlint:\n")[2].partition("\n\n")[0]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert [hook["entry"].removeprefix(".venv/bin/") for hook in hooks] == [line.strip() for line in steps.splitlines()]
