"""docs/faults.md: every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "faults.md").read_text()
ROWS = [line for line in TABLE.splitlines() if line.startswith("|") and not line.startswith(("| fault", "|---"))]
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
