"""Limits as lines in pictures whose axis begins at zero: their place, and their names below the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acceptance.report.pictures.lines import LIMIT, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_ABOVE = 4.0
"""A limit this many times above all values is only named below: in the picture it would flatten all lines."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A limit at a height of the picture, in its unit.

    `words`: its text; `at`: the place on the x axis that it is about, or None if it is about all of them.
    """

    value: float
    words: str
    at: float | None = None


def near(levels: Sequence[Level], *, largest: float) -> list[Level]:
    """Return the levels that can be drawn with values up to `largest`."""
    return [level for level in levels if level.value <= FAR_ABOVE * largest]


def paint_levels(axes: Axes, levels: Sequence[Level], *, begin: float, end: float) -> dict[str, Look]:
    """Paint the lines from `begin` to `end` of the x axis, or around the place of each; return their keys."""
    for level in levels:
        reach = (end - begin) / 16
        edges = (begin, end) if level.at is None else (max(begin, level.at - reach), min(end, level.at + reach))
        axes.plot(edges, [level.value] * 2, color=LIMIT.colour, linestyle=LIMIT.dashes, linewidth=1.6)
    return {"limit": LIMIT} if levels else {}


def levels_in_words(levels: Sequence[Level], near_levels: Sequence[Level]) -> str:
    """Return the limits in words: ` Limit: at least 350 IOPS each of 15 volumes.`

    The text follows other words; it is empty if there is no limit.
    """
    return "".join(
        f" Limit: {level.words}{'' if level in near_levels else ', which is above the chart'}." for level in levels
    )
