"""The behaviors of the Kubernetes storage e2e: which of them this run tested, and which were imported. Pure."""

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
    """A behavior of the e2e.

    `tests`, `in_part`: tests of this suite that test all of it, or part of it: `test_file.py::test_name`.
    """

    suite: str
    behaviour: str
    tests: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CoverageRow:
    """A suite of the e2e.

    Numbers of its behaviors: in all, tested by this run, and imported besides; `gaps`: those that are neither.
    """

    suite: str
    behaviours: int
    tested_here: int
    imported_count: int
    gaps: list[str]


@cache
def known_behaviours() -> tuple[KnownBehaviour, ...]:
    """Return all behaviors, in the order of the file."""
    text = files("acceptance.report").joinpath("e2e_behaviours.yaml").read_text(encoding="utf-8")
    return tuple(
        KnownBehaviour(
            suite=suite,
            behaviour=behaviour,
            tests=tuple(how.get("asked", ())),
            in_part=tuple(how.get("in_part", ())),
        )
        for suite, behaviours in yaml.safe_load(text).items()
        for behaviour, how in behaviours.items()
    )


def is_of(behaviour: ImportedBehaviour, reference: KnownBehaviour) -> bool:
    """Return whether a behavior in a file is that of the reference; the file may name a context before it."""
    return behaviour.suite == reference.suite and f" {behaviour.behaviour}".endswith(f" {reference.behaviour}")


def coverage_rows(results: Results) -> list[CoverageRow]:
    """Return a row for each suite.

    Tested here: a test of this run reached a verdict on it, pass or fail. Imported: the e2e ran it.
    """
    judged_tests = {
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
        own = [behaviour for behaviour in behaviours if _has_verdict(behaviour.tests, judged_tests)]
        remaining = [behaviour for behaviour in behaviours if behaviour not in own]
        imports = [behaviour for behaviour in remaining if any(is_of(result, behaviour) for result in ran)]
        rows.append(
            CoverageRow(
                suite=suite,
                behaviours=len(behaviours),
                tested_here=len(own),
                imported_count=len(imports),
                gaps=[behaviour.behaviour for behaviour in remaining if behaviour not in imports],
            )
        )
    return rows


def _has_verdict(tests: Iterable[str], names: set[str]) -> bool:
    return any(name == test or name.startswith(f"{test}::") for test in tests for name in names)
