"""docs/faults.md: every test that it names is there, and one at least of each fault is in `make test`, but of those of
Longhorn itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "faults.md").read_text()
# What takes minutes to start: all of that section is left to `make test-release`, and it says so.
NIGHTLY = "## On Longhorn itself"


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("| fault", "|---"))]


ROWS = rows_of(TABLE)
BY_NIGHT = rows_of(TABLE.partition(NIGHTLY)[2].partition("\n## ")[0])
NAMED = [name for row in ROWS for name in re.findall(r"`([\w/:]+)`", row.split("|")[3])]


def test_every_fault_has_a_test() -> None:
    assert len(ROWS) >= 40
    assert [row for row in ROWS if not re.search(r"`[\w/:]+`", row.split("|")[3])] == []


@pytest.mark.parametrize("name", NAMED)
def test_the_test_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    folder, _, subject = file.rpartition("/")
    path = ROOT / "selftests" / (folder or "integration") / f"test_{subject}.py"
    assert path.is_file()
    if test:
        assert f"def test_{test}(" in path.read_text()


@pytest.mark.parametrize(
    "row", [each for each in ROWS if each not in BY_NIGHT], ids=lambda row: row.split("|")[1].strip()[:60]
)
def test_a_test_of_each_fault_is_in_every_commit_s_run(row: str) -> None:
    names = re.findall(r"`([\w/]+)(?:::(\w+))?`", row.split("|")[3])
    assert any(not left_to_the_night(file, test) for file, test in names)


def test_faults_of_longhorn_itself_have_a_command_of_their_own() -> None:
    names = [name for row in BY_NIGHT for name in re.findall(r"`([\w/]+)(?:::(\w+))?`", row.split("|")[3])]
    assert len(BY_NIGHT) >= 10
    assert [test for file, test in names if not left_to_the_night(file, test)] == []


def left_to_the_night(file: str, test: str) -> bool:
    """Whether the test, or its whole file, bears the mark of `make test-full` or of `make test-release`."""
    folder, _, subject = file.rpartition("/")
    path = ROOT / "selftests" / (folder or "integration") / f"test_{subject}.py"
    tree = ast.parse(path.read_text())
    marked: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == f"test_{test}":
            marked += node.decorator_list
        if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node.targets[0]):
            marked.append(node.value)
    return any(re.search(r"pytest\.mark\.(full|release)\b", _without_cases(each)) for each in marked)


def _without_cases(mark: ast.AST) -> str:
    """The mark as text; single cases of a parametrization may be left to the night."""
    text = ast.unparse(mark)
    return "" if text.startswith("pytest.mark.parametrize") else text
