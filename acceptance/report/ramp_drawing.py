"""A ramp as two small SVG drawings: pods over time, and how long pods took to start by how many there were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.control_plane.records import GrowthPoint, StartPoint
from acceptance.quantities import format_quantity
from acceptance.report.time_drawing import BOTTOM, LEFT, RIGHT, TOP, Point


@dataclass(frozen=True, kw_only=True)
class RampDrawing:
    """Lines by their CSS class, or dots, and their axes, both from zero. In pixels, from the left and from the top."""

    lines: dict[str, str]
    dots: list[Point]
    largest: str
    end: str
    width: int = 520
    height: int = 150
    left: int = LEFT
    right: int = RIGHT
    top: int = TOP
    bottom: int = BOTTOM


def draw_growth(growth: Sequence[GrowthPoint]) -> RampDrawing | None:
    """Pods asked for and running over time, to the end of the ramp; None where there is no line."""
    if len(growth) < 2:
        return None
    scale = _Scale(most_x=growth[-1].at_s, most_y=max(point.asked for point in growth))
    if scale.is_flat:
        return None
    return RampDrawing(
        lines={
            "level": scale.line([(point.at_s, point.asked) for point in growth]),
            "total": scale.line([(point.at_s, point.running) for point in growth]),
        },
        dots=[],
        largest=format_quantity(scale.most_y, unit="pods"),
        end=format_quantity(scale.most_x, unit="s"),
    )


def draw_starts(starts: Sequence[StartPoint]) -> RampDrawing | None:
    """A dot for each pod that started; None where there is none."""
    if not starts:
        return None
    scale = _Scale(most_x=max(each.pods for each in starts), most_y=max(each.took_s for each in starts))
    if scale.is_flat:
        return None
    return RampDrawing(
        lines={},
        dots=[scale.point((each.pods, each.took_s)) for each in starts],
        largest=format_quantity(scale.most_y, unit="s"),
        end=f"{scale.most_x:,.0f}",
    )


@dataclass(frozen=True, kw_only=True)
class _Scale:
    most_x: float
    most_y: float

    @property
    def is_flat(self) -> bool:
        return self.most_x <= 0 or self.most_y <= 0

    def point(self, point: Point) -> Point:
        x, y = point
        return (
            round(LEFT + (RIGHT - LEFT) * x / self.most_x, 1),
            round(BOTTOM - (BOTTOM - TOP) * y / self.most_y, 1),
        )

    def line(self, points: Sequence[Point]) -> str:
        return " ".join("{},{}".format(*self.point(point)) for point in points)
