"""The behaviours of the Kubernetes storage e2e: which of them this run asked, and which were imported. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from acceptance.results.document import Results
from acceptance.results.imports import ImportedBehaviour


@dataclass(frozen=True, kw_only=True)
class KnownBehaviour:
    """One of them. `asked`, `in_part`: tests of this suite that ask all of it, or some: `test_file.py::test_name`."""

    suite: str
    behaviour: str
    asked: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CoverageRow:
    """A suite of the e2e. Numbers of its behaviours: in all, asked by this run, imported beside them, neither."""

    suite: str
    behaviours: int
    asked: int
    imported: int
    neither: list[str]


@cache
def known_behaviours() -> tuple[KnownBehaviour, ...]:
    """All of them, in the order of the file."""
    text = files("acceptance.report").joinpath("e2e_behaviours.yaml").read_text(encoding="utf-8")
    return tuple(
        KnownBehaviour(
            suite=suite,
            behaviour=behaviour,
            asked=tuple(how.get("asked", ())),
            in_part=tuple(how.get("in_part", ())),
        )
        for suite, behaviours in yaml.safe_load(text).items()
        for behaviour, how in behaviours.items()
    )


def is_of(found: ImportedBehaviour, known: KnownBehaviour) -> bool:
    """Whether what a file tells of is that behaviour; a file may name a context before it."""
    return found.suite == known.suite and f" {found.behaviour}".endswith(f" {known.behaviour}")


def coverage_rows(results: Results) -> list[CoverageRow]:
    """A row for each suite. Asked is what a test of this run came to a verdict on, pass or fail; imported what ran."""
    reached = {
        each.test.rpartition("/")[2].partition("[")[0] for each in results.verdicts if each.status in ("pass", "fail")
    }
    ran = [each for one in results.imports if one.tool == "kubernetes-e2e" for each in one.behaviours if each.ran]
    rows = []
    for suite in dict.fromkeys(each.suite for each in known_behaviours()):
        behaviours = [each for each in known_behaviours() if each.suite == suite]
        asked = [each for each in behaviours if _reached(each.asked, reached)]
        others = [each for each in behaviours if each not in asked]
        imported = [each for each in others if any(is_of(found, each) for found in ran)]
        rows.append(
            CoverageRow(
                suite=suite,
                behaviours=len(behaviours),
                asked=len(asked),
                imported=len(imported),
                neither=[each.behaviour for each in others if each not in imported],
            )
        )
    return rows


def _reached(tests: Iterable[str], reached: set[str]) -> bool:
    return any(each == test or each.startswith(f"{test}::") for test in tests for each in reached)
