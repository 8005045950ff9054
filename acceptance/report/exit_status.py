"""The exit status of a run in words: what happened, so that a reader need not know the list of statuses."""

from __future__ import annotations

from acceptance.judging.exit_status import MEANING
from acceptance.results.document import Results, Status
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import counted


def exit_status_in_words(results: Results, status: int) -> str | None:
    """Return the meaning of the exit status, such as `2 tests failed`; None for a status of pytest's own."""
    if status != StorageFailure.exit_status:
        return MEANING.get(status)
    failed, inconclusive = _tests_with(results, "fail"), _tests_with(results, "inconclusive")
    parts = [f"{counted(failed, 'test')} failed"] if failed else []
    parts += [f"{counted(len(results.errors), 'error')} listed above"] if results.errors else []
    if not parts and inconclusive and results.settings.get("inconclusive") == "fail":
        parts = [f"{counted(inconclusive, 'test')} inconclusive, which counts as failed (--storage-inconclusive=fail)"]
    if not parts and results.settings.get("partial") == "fail":
        parts = ["the tier was judged in part, which counts as failed (--storage-partial=fail)"]
    return ", ".join(parts) or MEANING[status]


def _tests_with(results: Results, status: Status) -> int:
    return len({verdict.test or verdict.id for verdict in results.verdicts if verdict.status == status})
