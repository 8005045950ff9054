"""How a time between two polls reads beside its limit, and without one."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import wanted_of


def held_to(verdict: Verdict, said: str) -> str:
    """`failover on fast took 58.2 s ...; wanted at most 60 s.`"""
    because = {
        "fail": f": {verdict.requirement.because.rstrip('.')}",
        "inconclusive": "; the limit lies within the 1 s polling resolution, so pass and fail cannot be told apart",
    }.get(verdict.status, "")
    return f"{said}; wanted {wanted_of(verdict)}{because}."


def not_judged(said: str, *, section: str, key: str) -> str:
    """`key`, under `section` of a tier, would be the limit."""
    return f"{said}; measured, not judged: the tier has no limit; to judge it add one under {section}: {key}:"
