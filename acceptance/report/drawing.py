"""The total over the number of volumes as a line: the coordinates of a small SVG drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acceptance.quantities import Unit, format_quantity
from acceptance.scaling.records import CapacityRecord, Figure

# Where the axes are, in pixels; what is left of and below them holds their labels.
LEFT, RIGHT, TOP, BOTTOM = 90, 405, 15, 125


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One step: its place, and how far its interval reaches. In pixels, from the left and from the top."""

    volumes: int
    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """The line and its axes. `level` is where the capacity is, None where it is not known; `largest` what `top` is."""

    marks: list[Mark]
    level: float | None
    largest: str
    width: int = 420
    height: int = 150
    left: int = LEFT
    right: int = RIGHT
    top: int = TOP
    bottom: int = BOTTOM

    @property
    def points(self) -> str:
        """The line, as SVG writes it."""
        return " ".join(f"{mark.x},{mark.y}" for mark in self.marks)


def draw(totals: Mapping[int, Figure], capacity: CapacityRecord | None, *, unit: Unit) -> Drawing | None:
    """Totals by the number of volumes; None where there is no line: one step only, or no load at all.

    Both axes begin at zero, so that a total that halves is half as high.
    """
    reaches = {
        pods: (each.mean if each.low is None else each.low, each.mean if each.high is None else each.high)
        for pods, each in totals.items()
    }
    most, largest = max(totals), max(high for _, high in reaches.values())
    if len(totals) < 2 or largest <= 0.0:
        return None

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * value / largest, 1)

    marks = [
        Mark(
            volumes=pods,
            x=round(LEFT + (RIGHT - LEFT) * pods / most, 1),
            y=y(total.mean),
            low=y(reaches[pods][0]),
            high=y(reaches[pods][1]),
        )
        for pods, total in totals.items()
    ]
    level = None if capacity is None else y(capacity.constant.mean)
    return Drawing(marks=marks, level=level, largest=format_quantity(largest, unit=unit))
