"""The exit status of a run: so that automation can tell storage that failed from a lab that broke."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acceptance.results.document import Verdict
from acceptance.results.verdicts import overall
from acceptance.text.errors import EnvironmentFailure, StorageFailure, WrongUsage

PASSED, INTERRUPTED, NOTHING_JUDGED = 0, 2, 5


def exit_status(
    *, interrupted: bool, raised: Collection[int], verdicts: Sequence[Verdict], errors: Sequence[str]
) -> int:
    """0 all verdicts pass; 1 fail, inconclusive or error; 2 interrupted; 4 wrong usage; 5 nothing judged; 10 lab.

    `raised` are the exit statuses of the errors that tests ended with, `errors` what went wrong beside the storage.
    Storage that was found to fail is said even when the lab broke afterwards.
    """
    if interrupted:
        return INTERRUPTED
    found_failing = any(verdict.status == "fail" for verdict in verdicts)
    for status in (WrongUsage.exit_status, StorageFailure.exit_status, EnvironmentFailure.exit_status):
        if status in raised or (found_failing and status == StorageFailure.exit_status):
            return status
    if all(verdict.status == "skipped" for verdict in verdicts):
        return StorageFailure.exit_status if errors else NOTHING_JUDGED
    return PASSED if overall(verdicts) == "pass" and not errors else StorageFailure.exit_status
