"""The exit status of a run in words: what happened, so that a reader need not know the list of statuses."""

from __future__ import annotations

from acceptance.judging.exit_status import MEANING
from acceptance.results.document import Results, Status
from acceptance.text.errors import StorageFailure


def exit_status_in_words(results: Results, status: int) -> str | None:
    """Return the meaning of the exit status, such as `2 tests failed`; None for a status of pytest's own."""
    if status != StorageFailure.exit_status:
        return MEANING.get(status)
    failed_tests = _count(_tests_with(results, "fail"), "test")
    inconclusive_tests = _count(_tests_with(results, "inconclusive"), "test")
    parts = [f"{failed_tests} failed"] if failed_tests else []
    parts += [f"{_count(len(results.errors), 'error')} listed above"] if results.errors else []
    if not parts and inconclusive_tests and results.settings.get("inconclusive") == "fail":
        parts = [f"{inconclusive_tests} inconclusive, which counts as failed (--storage-inconclusive=fail)"]
    if not parts and results.settings.get("partial") == "fail":
        parts = ["the tier was judged in part, which counts as failed (--storage-partial=fail)"]
    return ", ".join(parts) or MEANING[status]


def _tests_with(results: Results, status: Status) -> int:
    return len({verdict.test or verdict.id for verdict in results.verdicts if verdict.status == status})


def _count(number: int, noun: str) -> str:
    """Return `1 test`, `2 tests`; empty for none."""
    return "" if not number else f"{number} {noun}{'s' * (number != 1)}"
