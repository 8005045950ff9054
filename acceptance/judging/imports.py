"""Whether what another tool found is held against a StorageClass. Pure."""

from __future__ import annotations

from acceptance.judging.outcome import verdict_id, with_count, without_figures
from acceptance.results.document import Status, Verdict
from acceptance.results.imports import TOOLS, ImportRecord
from acceptance.settings.imports import ImportedFailures


def judge_import(found: ImportRecord, *, storage_class: str, failures: ImportedFailures) -> Verdict:
    """A fail where a test failed there, only if failures are to count; else it is not judged, and the reason counts.

    A file that contradicts itself, or in which nothing ran, passes nothing.
    """
    told = f"{found.name}: {found.counted}, by {TOOLS[found.tool]}, not by this suite"
    status: Status
    if failures == "show":
        status, reason = "skipped", f"{told}; shown, not judged (--storage-imported-failures fail judges)"
    elif found.failed:
        first = found.failures[0]
        status, reason = "fail", f"{told}; the first that failed: {first.suite} {first.behaviour}: {first.message}"
    elif found.doubts:
        status, reason = "inconclusive", f"{told}; {'; '.join(found.doubts)}: get the whole file from the tool"
    elif not found.passed:
        status, reason = "inconclusive", f"{told}: no test in it ran; let the tool run those for this storage"
    else:
        status, reason = "pass", told
    verdict = without_figures(
        verdict_id(storage_class, "imported", found.name, "no-failure"),
        storage_class=storage_class,
        rule="no_failure",
        limit=f"no test of {found.name} failed",
        status=status,
        reason=reason,
    )
    return verdict if status == "skipped" else with_count(verdict, found.failed)
