"""What fio has printed, as recorded by `fio_documents/record.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "fio_documents"
RECORDS = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], str]:
    """The record of a name, as text."""
    return lambda name: (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "record" in metafunc.fixturenames:
        metafunc.parametrize("record", RECORDS, indirect=True)


@pytest.fixture
def record(request: pytest.FixtureRequest, recorded: Callable[[str], str]) -> str:
    """Each record in turn."""
    return recorded(request.param)
