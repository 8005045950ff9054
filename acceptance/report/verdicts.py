"""Verdicts for the report: which of several is the worst, and what a verdict is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from acceptance.results import Status, Verdict
from acceptance.scaling.limits import Kind

ORDER: dict[Status, int] = {"fail": 0, "inconclusive": 1, "pass": 2, "skipped": 3}
# As the last part of a verdict's id; a limit of one step has the number of volumes behind it.
_KINDS = tuple(kind.replace("_", "-") for kind in (*get_args(Kind), "scaling"))


def worst(verdicts: Iterable[Verdict]) -> Status | None:
    """The worst status of the verdicts; None where there is none."""
    return min((each.status for each in verdicts), key=ORDER.__getitem__, default=None)


def is_about_many_volumes(verdict: Verdict) -> bool:
    """Whether the verdict is on a scale run. By its id: the verdict of a step that failed shows it nowhere else."""
    return verdict.id.rpartition("/")[2].startswith(_KINDS)
