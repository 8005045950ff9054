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
        verdict.test.rpartition("/")[2].partition("[")[0]
        for verdict in results.verdicts
        if verdict.status in ("pass", "fail")
    }
    ran = [
        behaviour
        for record in results.imports
        if record.tool == "kubernetes-e2e"
        for behaviour in record.behaviours
        if behaviour.ran
    ]
    rows = []
    for suite in dict.fromkeys(behaviour.suite for behaviour in known_behaviours()):
        behaviours = [behaviour for behaviour in known_behaviours() if behaviour.suite == suite]
        asked = [behaviour for behaviour in behaviours if _reached(behaviour.asked, reached)]
        others = [behaviour for behaviour in behaviours if behaviour not in asked]
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
