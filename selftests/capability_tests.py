"""The tests of capabilities that come with the suite: what integration tests expect follows from their marks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TEST = re.compile(r'capability\("([\w-]+)"\)\ndef \w+\(show_capability\):\n +"""[^"]+"""\n +show_capability\((\w+)\)')


def capability_tests(*files: str) -> list[tuple[str, str]]:
    """The capability of each test in these files, and the name of the function that the test calls for it."""
    return [pair for file in files for pair in _TEST.findall((ROOT / file).read_text(encoding="utf-8"))]


def capabilities_of(*files: str) -> set[str]:
    """The capabilities that are tested in these files."""
    return {capability for capability, _ in capability_tests(*files)}
