"""The exit status of a run: so that automation can tell storage that failed from a lab that broke."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acceptance.results.document import Verdict
from acceptance.results.verdicts import overall
from acceptance.settings.run import OpenAs
from acceptance.text.errors import EnvironmentFailure, StorageFailure, WrongUsage

PASSED, INTERRUPTED, NOTHING_JUDGED, INCONCLUSIVE = 0, 2, 5, 6
"""Beside those of `acceptance.text.errors`: 1, 4 and 10. pytest's own are 0 to 5."""

_OPEN: dict[OpenAs, int] = {"inconclusive": INCONCLUSIVE, "fail": StorageFailure.exit_status, "pass": PASSED}


def exit_status(
    *,
    interrupted: bool,
    raised: Collection[int],
    verdicts: Sequence[Verdict],
    errors: Sequence[str],
    open_as: OpenAs = "inconclusive",
) -> int:
    """0 all verdicts pass; 1 fail or error; 2 interrupted; 4 wrong usage; 5 nothing judged; 6 inconclusive; 10 lab.

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
    if errors or found_failing:
        return StorageFailure.exit_status
    return PASSED if overall(verdicts) == "pass" else _OPEN[open_as]
