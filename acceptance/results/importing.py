"""From the JUnit file of another tool to a record: which tool it was, and its tests grouped by what they ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from acceptance.results.checksums import IMPORTED, digest_of
from acceptance.results.imports import ImportedBehaviour, ImportedFailure, ImportRecord, Tool
from acceptance.results.junit_file import Case, JUnit, read_junit
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize

MOST_FAILURES = 100
MESSAGE = 600
"""characters that are told of a failure; the whole is in the file"""
_DRIVER = re.compile(r"\[Driver: ([^\]]+)\]")
_PATTERN = re.compile(r"\[Testpattern: ([^\]]+)\]")
_TAG = re.compile(r"\[[^\]]*\]")
# What ginkgo runs around tests has no behaviour: it is told of where it fails.
_AROUND = re.compile(r"\[(?:Synchronized|Report)?(?:Before|After)(?:Suite|Each|All)\]|\[DeferCleanup")
_SENTENCE = re.compile(r"(?P<suite>.+?) (?P<behaviour>(?:should|must|can|fail|returns?)\b.*)")


def read_import(path: Path, *, name: str = "", added: Literal["run", "report"] = "run") -> ImportRecord:
    """The record of the JUnit file at `path`, fit to be shown; `name`: what to call it, else it is the tool's.

    Raises WrongUsage where the file is none.
    """
    junit = read_junit(path)
    digest, modified = _facts_of(path)
    tool = _tool(junit)
    named = [(each, *_place(each, tool)) for each in junit.cases]
    counted: dict[tuple[str, str], Counter[str]] = {}
    failures: list[ImportedFailure] = []
    for case, suite, behaviour, variant in named:
        if _AROUND.search(case.name) and case.outcome != "failed":
            continue
        counted.setdefault((suite, behaviour), Counter())[case.outcome] += 1
        if case.outcome == "failed" and len(failures) < MOST_FAILURES:
            failures.append(
                ImportedFailure(suite=suite, behaviour=behaviour, variant=variant, message=_message(case.text))
            )
    behaviours = [
        ImportedBehaviour(
            suite=suite,
            behaviour=behaviour,
            passed=outcomes["passed"],
            failed=outcomes["failed"],
            skipped=outcomes["skipped"],
        )
        for (suite, behaviour), outcomes in counted.items()
    ]
    shown = sanitize(name or (tool if tool != "other" else path.stem))
    drivers = dict.fromkeys(sanitize(found[1]) for each in junit.cases if (found := _DRIVER.search(each.name)))
    return ImportRecord(
        name=shown,
        tool=tool,
        file=f"{IMPORTED}/{file_name(shown)}" if added == "run" else sanitize(path.name),
        sha256=digest,
        made=sanitize(junit.timestamp) or f"{modified:%Y-%m-%dT%H:%M:%SZ}",
        made_from="timestamp" if junit.timestamp else "modification",
        drivers=list(drivers),
        behaviours=behaviours,
        failures=failures,
        doubts=list(_doubts(junit)),
        added=added,
    )


def all_imports(named: Iterable[tuple[Path, str]], *, added: Literal["run", "report"]) -> list[ImportRecord]:
    """The records of several files. Raises WrongUsage with all that are none, or that would have the same name."""
    found: list[ImportRecord] = []
    problems: list[str] = []
    for path, name in named:
        try:
            found.append(read_import(path, name=name, added=added))
        except WrongUsage as error:
            problems.append(str(error))
    names = Counter(file_name(each.name) for each in found)
    problems += [
        f"wanted a name of its own for each imported file, found {count} that are {name.removesuffix('.xml')}; name "
        "them as FILE:NAME"
        for name, count in names.items()
        if count > 1
    ]
    if problems:
        raise WrongUsage("\n".join(problems))
    return found


def file_name(name: str) -> str:
    """What the file of an import is called in the run's folder."""
    return re.sub(r"[^-.\w]+", "-", name, flags=re.ASCII).strip(".-") + ".xml"


def _facts_of(path: Path) -> tuple[str, datetime]:
    try:
        return digest_of(path), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise WrongUsage(f"{path}: wanted a JUnit file, found {error}; name a file that can be read") from error


def _tool(junit: JUnit) -> Tool:
    names = {*junit.suites, *(case.group for case in junit.cases)}
    if "Kubernetes e2e suite" in names or any(_PATTERN.search(case.name) for case in junit.cases):
        return "kubernetes-e2e"
    return "csi-sanity" if any("CSI Driver Test Suite" in name for name in names) else "other"


def _place(case: Case, tool: Tool) -> tuple[str, str, str]:
    """Suite, behaviour and variant of a test. All of them fit to be shown."""
    name = sanitize(case.name)
    pattern = _PATTERN.search(name)
    if tool == "kubernetes-e2e" and pattern is not None:
        suite, _, behaviour = _plain(name[pattern.end() :]).partition(" ")
        return suite, behaviour or suite, pattern[1]
    plain = _plain(name) or on_one_line(name) or "(without a name)"
    if tool == "kubernetes-e2e":
        return "outside the storage suites", plain, ""
    sentence = _SENTENCE.fullmatch(plain) if tool == "csi-sanity" else None
    if sentence is not None:
        return sentence["suite"], sentence["behaviour"], ""
    return on_one_line(sanitize(case.group)) or "all", plain, ""


def _plain(text: str) -> str:
    """The words without tags: `should store data [Slow]` and `[Slow] should store data` are the same."""
    return re.sub(r" +([,.])", r"\1", on_one_line(_TAG.sub(" ", text)))


def _message(text: str) -> str:
    """The beginning of what a test said, on one line: the end of a stack says less."""
    told = on_one_line(sanitize(text))
    return told if len(told) <= MESSAGE else f"{told[:MESSAGE].rstrip()} ..."


def _doubts(junit: JUnit) -> Iterator[str]:
    """What in the file tells of failures that its tests do not show."""
    failed = sum(case.outcome == "failed" for case in junit.cases)
    if junit.stated is not None and not junit.counted_tests <= junit.stated <= junit.counted_marks:
        yield f"the head of the file counts {junit.stated} failures and errors, its tests are {junit.counted_tests}"
    if junit.properties.get("SuiteSucceeded", "true").lower() != "true" and not failed:
        why = sanitize(junit.properties.get("SpecialSuiteFailureReason", "")).strip("[] ")
        yield f"the tool says that the suite as a whole failed, and no test in it did{f': {why}' if why else ''}"
