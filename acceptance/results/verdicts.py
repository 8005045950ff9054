"""Which of several verdicts is the worst: what a reader must see first."""

from __future__ import annotations

from collections.abc import Iterable

from acceptance.results.document import Status, Verdict

ORDER: dict[Status, int] = {"fail": 0, "inconclusive": 1, "pass": 2, "skipped": 3}


def worst(verdicts: Iterable[Verdict]) -> Status | None:
    """The worst status of the verdicts; None where there is none."""
    return min((each.status for each in verdicts), key=ORDER.__getitem__, default=None)
