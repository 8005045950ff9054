"""The best of several columns, if that is certain. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.report.comparing.model import Difference, Finding

_SEEN_FROM_THE_OTHER: dict[Finding, Finding] = {
    "better": "worse",
    "worse": "better",
    "within noise": "within noise",
    "not known": "not known",
}


def best_marks(present: Sequence[bool], pairs: Mapping[tuple[int, int], Difference | None]) -> list[str]:
    """Return `best` for a place better than all others, `among the best` if no other is better, else the empty text.

    `present` says which places have a value at all. `pairs` are the differences from the first to the second of any
    two, by their places; None if there is none. No place is marked unless some place is clearly worse than another. Nor
    is a place marked whose difference from any other is not known, such as from a value of zero.
    """
    findings: dict[tuple[int, int], Finding] = {}
    for (first, second), difference in pairs.items():
        finding = difference.finding if difference is not None else "not known"
        findings[second, first], findings[first, second] = finding, _SEEN_FROM_THE_OTHER[finding]
    places = [place for place, has_value in enumerate(present) if has_value]
    against = {first: {findings[first, second] for second in places if second != first} for first in places}
    if not any("worse" in place_findings for place_findings in against.values()):
        return [""] * len(present)
    return [_mark(against[place]) if place in against else "" for place in range(len(present))]


def _mark(against_others: set[Finding]) -> str:
    if against_others & {"worse", "not known"}:
        return ""
    return "best" if against_others == {"better"} else "among the best"
