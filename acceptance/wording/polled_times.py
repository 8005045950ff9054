"""Sentences about a time between two polls, with a limit and without one."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import how_to_judge, reason_for_limit, wanted_of


def held_to(verdict: Verdict, statement: str) -> str:
    """Return `failover on fast took 58.2 s ...; expected at most 60 s.`."""
    end = {
        "fail": reason_for_limit(verdict),
        "inconclusive": "; the limit lies within the 1 s polling resolution, so neither pass nor fail is certain",
    }.get(verdict.status, "")
    return f"{statement}; expected {wanted_of(verdict)}{end}."


def without_limit(statement: str, *, section: str, key: str) -> str:
    """Return the sentence for a time without a limit, which would be `key` under `section` of a tier."""
    example = f"{section}: {{{key}: {{at_most: TIME, because: REASON}}}}"
    return f"{statement} (measured, no limit). {how_to_judge(example)}"
