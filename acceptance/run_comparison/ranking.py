"""Who of several is best, where that is sure. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.run_comparison.model import Difference


def best_marks(present: Sequence[bool], pairs: Mapping[tuple[int, int], Difference | None]) -> list[str]:
    """`best` for who is better than all others, `among the best` for all that nobody is better than; else nothing.

    `present` says who has a value at all. `pairs` are the differences from the first to the second of any two, by their
    places; None where there is none. Nobody is marked where nobody is clearly worse than another one.
    """
    worse = {one for (one, _), each in pairs.items() if each is not None and each.finding == "better"}
    worse |= {other for (_, other), each in pairs.items() if each is not None and each.finding == "worse"}
    best = [place for place, has_value in enumerate(present) if has_value and place not in worse]
    mark = "best" if len(best) == 1 else "among the best"
    return [mark if worse and place in best else "" for place in range(len(present))]
