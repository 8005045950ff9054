"""Results of another tool + the setting for its failures -> verdict on the StorageClass. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Status, Verdict
from acceptance.results.imports import ImportRecord
from acceptance.results.requirement import Outcome
from acceptance.settings.imports import ImportedFailures


def judge_import(record: ImportRecord, *, storage_class: str, failures: ImportedFailures) -> Verdict:
    """Return a fail if a test failed there and failures are to count; else it is not judged, and the facts hold counts.

    A file that contradicts itself, or in which nothing ran, never passes.
    """
    status, code, more = _assess(record, failures)
    of: dict[str, JsonValue] = {"name": record.name, "tool": record.tool}
    counts: dict[str, JsonValue] = {"passed": record.passed, "failed": record.failed, "skipped": record.skipped}
    return without_figures(
        verdict_id(storage_class, "imported", record.name, "no-failure"),
        storage_class=storage_class,
        rule="no_failure",
        at_most=0,
        limit=f"no test of {record.name} failed",
        status=status,
        finding=Outcome(code=f"imports.{code}", facts={**of, **counts, **more}),
        count=None if status == "skipped" else record.failed,
    )


def _assess(record: ImportRecord, failures: ImportedFailures) -> tuple[Status, str, dict[str, JsonValue]]:
    """Return the status, the code of the outcome, and the facts of that code alone."""
    if failures == "show":
        return "skipped", "shown", {}
    if record.failed:
        first = record.failures[0]
        return "fail", "failed", {"first": first.model_dump(mode="json", include={"suite", "behaviour", "message"})}
    if record.doubts:
        return "inconclusive", "doubtful", {"doubts": [*record.doubts]}
    if not record.passed:
        return "inconclusive", "nothing_ran", {}
    return "pass", "passed", {}
