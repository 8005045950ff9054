"""Summaries of several verdicts: the worst status, and the overall result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from acceptance.results.document import Overall, Status, Verdict
from acceptance.results.subjects import Subject

ORDER: dict[Status, int] = {"fail": 0, "inconclusive": 1, "pass": 2, "skipped": 3}
OF_ONE_VOLUME: tuple[Subject | None, ...] = ("speed", "workloads", None)
"""The subjects whose verdicts rest on measurements of one volume; None in results of older suites."""
PartialAs = Literal["partial", "fail", "pass"]
"""The result of a run if nothing failed and the tier was judged in part."""
PARTIAL_STATUS: dict[PartialAs, int] = {"partial": 7, "fail": 1, "pass": 0}
"""The exit status of each result."""


def end_of_partial(partial_as: PartialAs, *, left_out: Sequence[str]) -> PartialAs:
    """Return how a run ends whose tier was judged in part.

    `left_out`: tests that the time budget left out. The user did not choose them, so `pass` does not cover them.
    """
    return "partial" if left_out and partial_as == "pass" else partial_as


def worst(verdicts: Iterable[Verdict]) -> Status | None:
    """Return the worst status of the verdicts; None if there are no verdicts."""
    return min((verdict.status for verdict in verdicts), key=ORDER.__getitem__, default=None)


def overall(verdicts: Iterable[Verdict], *, in_part: bool) -> Overall:
    """Return fail if any verdict fails, inconclusive if any is inconclusive or none passes, else pass or partial.

    Skipped verdicts do not count. `in_part`: a limit that applies, or a test that the tier requires, is left out.
    """
    statuses = {verdict.status for verdict in verdicts}
    if "fail" in statuses:
        return "fail"
    if "inconclusive" in statuses or "pass" not in statuses:
        return "inconclusive"
    return "partial" if in_part else "pass"
