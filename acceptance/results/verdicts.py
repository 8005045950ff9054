"""Several verdicts taken together: the worst of them, and what they say of the storage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from acceptance.results.document import Overall, Status, Verdict
from acceptance.results.subjects import Subject

ORDER: dict[Status, int] = {"fail": 0, "inconclusive": 1, "pass": 2, "skipped": 3}
OF_ONE_VOLUME: tuple[Subject | None, ...] = ("speed", "workloads", None)
"""The subjects whose verdicts rest on measurements of one volume; None in results of older suites."""
PartialAs = Literal["partial", "fail", "pass"]
"""What a run ends as if nothing failed and the tier was judged in part."""
PARTIAL_STATUS: dict[PartialAs, int] = {"partial": 7, "fail": 1, "pass": 0}
"""The exit status of each."""


def worst(verdicts: Iterable[Verdict]) -> Status | None:
    """The worst status of the verdicts; None where there is none."""
    return min((verdict.status for verdict in verdicts), key=ORDER.__getitem__, default=None)


def overall(verdicts: Iterable[Verdict], *, in_part: bool) -> Overall:
    """Any fail: fail. Else any inconclusive, or no pass at all: inconclusive. Else pass, or partial.

    Skipped ones do not count. `in_part`: whether a limit that applies, or a test that the tier requires, is left out.
    """
    found = {verdict.status for verdict in verdicts}
    if "fail" in found:
        return "fail"
    if "inconclusive" in found or "pass" not in found:
        return "inconclusive"
    return "partial" if in_part else "pass"
