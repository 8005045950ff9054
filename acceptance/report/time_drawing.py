"""Values over time as a line: the coordinates of a small SVG drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.quantities import Unit, format_quantity

# Where the axes are, in pixels; what is left of and below them holds their labels.
LEFT, RIGHT, TOP, BOTTOM = 90, 505, 15, 125

Point = tuple[float, float]
"""A moment (s) and the value then."""


@dataclass(frozen=True, kw_only=True)
class TimeDrawing:
    """The line, its axes and their labels; `bands` are stretches of time that stand out: their left edge and width."""

    points: str
    bands: list[tuple[float, float]]
    largest: str
    begin: str
    end: str
    width: int = 520
    height: int = 150
    left: int = LEFT
    right: int = RIGHT
    top: int = TOP
    bottom: int = BOTTOM


def draw_over_time(
    points: Sequence[Point], *, unit: Unit, bands: Sequence[tuple[float, float]] = ()
) -> TimeDrawing | None:
    """The values over time, from zero up; None where there is no line: one point only, or nothing above zero.

    `bands`: from when to when (s) each lasts.
    """
    if len(points) < 2:
        return None
    begin_s, end_s = points[0][0], points[-1][0]
    largest = max(value for _, value in points)
    if largest <= 0.0 or end_s <= begin_s:
        return None

    def x(at_s: float) -> float:
        inside = min(max(at_s, begin_s), end_s)
        return round(LEFT + (RIGHT - LEFT) * (inside - begin_s) / (end_s - begin_s), 1)

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * value / largest, 1)

    return TimeDrawing(
        points=" ".join(f"{x(at_s)},{y(value)}" for at_s, value in points),
        bands=[(x(from_s), round(x(to_s) - x(from_s), 1)) for from_s, to_s in bands],
        largest=format_quantity(largest, unit=unit),
        begin=f"{begin_s:.0f} s",
        end=f"{end_s:.0f} s",
    )
