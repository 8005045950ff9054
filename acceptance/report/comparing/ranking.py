"""Who of several is best, where that is sure. Pure."""

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
    """`best` for who is better than all others, `among the best` for all that nobody is better than; else nothing.

    `present` says who has a value at all. `pairs` are the differences from the first to the second of any two, by their
    places; None where there is none. Nobody is marked where nobody is clearly worse than another one, nor who differs
    from any of the others by what is not known, as from a value of zero.
    """
    findings: dict[tuple[int, int], Finding] = {}
    for (one, other), each in pairs.items():
        finding = each.finding if each is not None else "not known"
        findings[other, one], findings[one, other] = finding, _SEEN_FROM_THE_OTHER[finding]
    places = [place for place, has_value in enumerate(present) if has_value]
    against = {one: {findings[one, other] for other in places if other != one} for one in places}
    if not any("worse" in each for each in against.values()):
        return [""] * len(present)
    return [_mark(against[place]) if place in against else "" for place in range(len(present))]


def _mark(against_others: set[Finding]) -> str:
    if against_others & {"worse", "not known"}:
        return ""
    return "best" if against_others == {"better"} else "among the best"
