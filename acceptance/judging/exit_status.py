"""The exit status of a run: automation distinguishes failed storage from a broken lab by it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acceptance.results.document import Verdict
from acceptance.results.verdicts import PARTIAL_STATUS, PartialAs, overall
from acceptance.settings.run import OpenAs
from acceptance.text.errors import EnvironmentFailure, StorageFailure, WrongUsage

PASS, INTERRUPTION, NO_VERDICT, INCONCLUSIVE, PARTIAL = 0, 2, 5, 6, PARTIAL_STATUS["partial"]
"""In addition to those of `acceptance.text.errors`: 1, 4 and 10. pytest's own are 0 to 5."""

_OPEN: dict[OpenAs, int] = {"inconclusive": INCONCLUSIVE, "fail": StorageFailure.exit_status, "pass": PASS}
MEANING = {
    PASS: "nothing failed",
    StorageFailure.exit_status: "a verdict is a fail, the storage failed while a test was prepared or cleaned up, or "
    "objects of the run remain",
    INTERRUPTION: "the run was interrupted",
    WrongUsage.exit_status: "wrong usage, an invalid file, or no consent to the total size of the PVCs",
    NO_VERDICT: "nothing was judged: no test was selected, or all of them were skipped",
    INCONCLUSIVE: "nothing failed, but a verdict is inconclusive (change the status with --storage-inconclusive)",
    PARTIAL: "nothing failed, but only part of the tier was judged (change the status with --storage-partial)",
    EnvironmentFailure.exit_status: "an error of the environment, the suite or a test, not of the storage",
}
"""Each exit status in half a sentence."""


def exit_status(
    *,
    is_interrupted: bool,
    error_statuses: Collection[int],
    verdicts: Sequence[Verdict],
    errors: Sequence[str],
    in_part: bool,
    open_as: OpenAs = "inconclusive",
    partial_as: PartialAs = "partial",
    figures_alone: bool = False,
) -> int:
    """Return the exit status: 0 all verdicts pass; 1 a fail, or objects remain; 2 interrupted; 4 wrong usage;
    5 nothing judged; 6 inconclusive; 7 the tier judged in part; 10 any other error.

    `error_statuses`: the exit statuses of the errors that tests ended with. `errors`: faults outside the storage.
    `in_part`: a limit that applies was not judged, or a test that the tier requires did not pass. `figures_alone`: the
    run was to show figures without any verdict, and has some: then 0 replaces 5. A failure of the storage is reported
    even if the lab broke afterwards.
    """
    if is_interrupted:
        return INTERRUPTION
    found_failing = any(verdict.status == "fail" for verdict in verdicts)
    for status in (WrongUsage.exit_status, StorageFailure.exit_status, EnvironmentFailure.exit_status):
        if status in error_statuses or (found_failing and status == StorageFailure.exit_status):
            return status
    if all(verdict.status == "skipped" for verdict in verdicts):
        if errors:
            return StorageFailure.exit_status
        return PASS if figures_alone else NO_VERDICT
    if errors:
        return StorageFailure.exit_status
    result = overall(verdicts, in_part=in_part)
    if result == "partial":
        return PARTIAL_STATUS[partial_as]
    return PASS if result == "pass" else _OPEN[open_as]
