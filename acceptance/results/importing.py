"""Converts the JUnit file of another tool to a record: the tool, and its tests grouped by behavior."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from acceptance.results.checksums import IMPORTS, digest_of
from acceptance.results.imports import ImportedBehaviour, ImportedFailure, ImportRecord, Tool
from acceptance.results.junit_file import Case, JUnit, read_junit
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize

MOST_FAILURES = 100
MESSAGE = 600
"""Maximum number of characters of a failure message; the complete message is in the file."""
_DRIVER = re.compile(r"\[Driver: ([^\]]+)\]")
_PATTERN = re.compile(r"\[Testpattern: ([^\]]+)\]")
_TAG = re.compile(r"\[[^\]]*\]")
# Nodes that ginkgo runs around tests have no behavior: they are reported only if they fail.
_AROUND = re.compile(r"\[(?:Synchronized|Report)?(?:Before|After)(?:Suite|Each|All)\]|\[DeferCleanup")
_SENTENCE = re.compile(r"(?P<suite>.+?) (?P<behaviour>(?:should|must|can|fail|returns?)\b.*)")


def read_import(path: Path, *, name: str = "", added_to: Literal["run", "report"] = "run") -> ImportRecord:
    """Return the record of the JUnit file at `path`, safe to display. `name`: its name; the tool's name if empty.

    Raises WrongUsage if the file is not a JUnit file.
    """
    junit = read_junit(path)
    digest, modification_time = _facts_of(path)
    tool = _tool(junit)
    cases = [(case, *_place(case, tool)) for case in junit.cases]
    outcome_counts: dict[tuple[str, str], Counter[str]] = {}
    failures: list[ImportedFailure] = []
    for case, suite, behaviour, variant in cases:
        if _AROUND.search(case.name) and case.outcome != "failed":
            continue
        outcome_counts.setdefault((suite, behaviour), Counter())[case.outcome] += 1
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
        for (suite, behaviour), outcomes in outcome_counts.items()
    ]
    import_name = sanitize(name or (tool if tool != "other" else path.stem))
    drivers = dict.fromkeys(sanitize(match[1]) for case in junit.cases if (match := _DRIVER.search(case.name)))
    return ImportRecord(
        name=import_name,
        tool=tool,
        file=f"{IMPORTS}/{file_name(import_name)}" if added_to == "run" else sanitize(path.name),
        sha256=digest,
        made=sanitize(junit.timestamp) or f"{modification_time:%Y-%m-%dT%H:%M:%SZ}",
        made_from="timestamp" if junit.timestamp else "modification",
        drivers=list(drivers),
        behaviours=behaviours,
        failures=failures,
        doubts=list(_doubts(junit)),
        added=added_to,
    )


def all_imports(files: Iterable[tuple[Path, str]], *, added_to: Literal["run", "report"]) -> list[ImportRecord]:
    """Return the records of several files. Raises WrongUsage about all invalid files and all duplicate names."""
    records: list[ImportRecord] = []
    problems: list[str] = []
    for path, name in files:
        try:
            records.append(read_import(path, name=name, added_to=added_to))
        except WrongUsage as error:
            problems.append(str(error))
    names = Counter(file_name(record.name) for record in records)
    problems += [
        f"expected a different name for each imported file, found {count} named {name.removesuffix('.xml')}; name "
        "them as FILE:NAME"
        for name, count in names.items()
        if count > 1
    ]
    if problems:
        raise WrongUsage("\n".join(problems))
    return records


def file_name(name: str) -> str:
    """Return the name of an imported file in the run's folder."""
    return re.sub(r"[^-.\w]+", "-", name, flags=re.ASCII).strip(".-") + ".xml"


def _facts_of(path: Path) -> tuple[str, datetime]:
    try:
        return digest_of(path), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise WrongUsage(f"{path}: expected a JUnit file, found {error}; name a file that can be read") from error


def _tool(junit: JUnit) -> Tool:
    names = {*junit.suites, *(case.group for case in junit.cases)}
    if "Kubernetes e2e suite" in names or any(_PATTERN.search(case.name) for case in junit.cases):
        return "kubernetes-e2e"
    return "csi-sanity" if any("CSI Driver Test Suite" in name for name in names) else "other"


def _place(case: Case, tool: Tool) -> tuple[str, str, str]:
    """Return the suite, behavior and variant of a test, safe to display."""
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
    """Return the text without tags: `should store data [Slow]` and `[Slow] should store data` become equal."""
    return re.sub(r" +([,.])", r"\1", on_one_line(_TAG.sub(" ", text)))


def _message(text: str) -> str:
    """Return the beginning of a test's message, on one line: the end of a stack trace says less."""
    message = on_one_line(sanitize(text))
    return message if len(message) <= MESSAGE else f"{message[:MESSAGE].rstrip()} ..."


def _doubts(junit: JUnit) -> Iterator[str]:
    """Yield the statements of the file about failures that its tests do not show."""
    failures = sum(case.outcome == "failed" for case in junit.cases)
    if junit.stated_failures is not None and not junit.counted_tests <= junit.stated_failures <= junit.counted_marks:
        yield (
            f"the head of the file states {junit.stated_failures} failures and errors, but its tests have "
            f"{junit.counted_tests}"
        )
    if junit.properties.get("SuiteSucceeded", "true").lower() != "true" and not failures:
        why = sanitize(junit.properties.get("SpecialSuiteFailureReason", "")).strip("[] ")
        yield f"the tool reports that the suite failed, but no test in it failed{f': {why}' if why else ''}"
