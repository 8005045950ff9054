"""Whether what another tool found is held against a StorageClass. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Status, Verdict
from acceptance.results.imports import ImportRecord
from acceptance.results.requirement import Outcome
from acceptance.settings.imports import ImportedFailures


def judge_import(found: ImportRecord, *, storage_class: str, failures: ImportedFailures) -> Verdict:
    """A fail where a test failed there, only if failures are to count; else it is not judged, and the facts count.

    A file that contradicts itself, or in which nothing ran, passes nothing.
    """
    status, code, more = _found(found, failures)
    of: dict[str, JsonValue] = {"name": found.name, "tool": found.tool}
    counts: dict[str, JsonValue] = {"passed": found.passed, "failed": found.failed, "skipped": found.skipped}
    return without_figures(
        verdict_id(storage_class, "imported", found.name, "no-failure"),
        storage_class=storage_class,
        rule="no_failure",
        at_most=0,
        limit=f"no test of {found.name} failed",
        status=status,
        found=Outcome(code=f"imports.{code}", facts={**of, **counts, **more}),
        count=None if status == "skipped" else found.failed,
    )


def _found(found: ImportRecord, failures: ImportedFailures) -> tuple[Status, str, dict[str, JsonValue]]:
    """The code of what was found, and the facts that it alone has."""
    if failures == "show":
        return "skipped", "shown", {}
    if found.failed:
        first = found.failures[0]
        return "fail", "failed", {"first": first.model_dump(mode="json", include={"suite", "behaviour", "message"})}
    if found.doubts:
        return "inconclusive", "doubtful", {"doubts": [*found.doubts]}
    if not found.passed:
        return "inconclusive", "nothing_ran", {}
    return "pass", "passed", {}
