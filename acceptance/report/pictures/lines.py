"""The look of each kind of line, and the key above a picture that names them. Never by color alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acceptance.report.pictures.canvas import COLOURS, DASHES, WIDTH
from acceptance.results.bounds import Bound
from acceptance.text.sanitizing import on_one_line, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
"""The place on the x axis, and the value there."""

MOST_MARKERS = 30
"""Maximum number of points of a line with a marker each; more markers would hide the line."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """Color, dashes and marker, as matplotlib takes them."""

    colour: str
    dashes: Any
    marker: str

    def of(self, points: int) -> dict[str, Any]:
        """Return the arguments of a line with that number of points."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker if points <= MOST_MARKERS else "",
            "markeredgewidth": 0.0,
        }


CANDIDATE = Look(colour=COLOURS["candidate"], dashes="-", marker="o")
BASELINE = Look(colour=COLOURS["baseline"], dashes=DASHES, marker="s")
LIMIT = Look(colour=COLOURS["limit"], dashes="-.", marker="")
NO_LIMITS: Mapping[str, tuple[Bound, ...]] = {}


def key(axes: Axes, names: Mapping[str, Look]) -> None:
    """Paint a row above the axes: a piece of each line, followed by its name."""
    above = 1.0 - axes.get_position().y1
    room = (WIDTH - 16.0) / len(names)
    for number, (name, look) in enumerate(names.items()):
        x = [_across(axes, 8.0 + room * number + offset) for offset in (0.0, 12.0, 24.0)]
        y = 1.0 + 0.62 * above / axes.get_position().height
        axes.plot(x, [y] * 3, transform=axes.transAxes, clip_on=False, markevery=[1], **look.of(1))
        text = shorten(name, most=int((room - 34.0) / 7.0))
        axes.text(_across(axes, 8.0 + room * number + 30.0), y, text, transform=axes.transAxes, va="center")


def _across(axes: Axes, pixels: float) -> float:
    """Return the distance from the left edge of the picture as a share of the axes' width."""
    left_edge, _, width, _ = axes.get_position().bounds
    return float((pixels / WIDTH - left_edge) / width)


def shorten(name: str, *, most: int) -> str:
    """Return the name in no more room than `most` letters take; the middle is left out, because the ends differ.

    Letters of Chinese, Japanese and Korean, and emoji, are twice as wide.
    """
    text = on_one_line(printable(name))
    if _width(text) <= most:
        return text
    begin, end = "", ""
    while _width(begin + text[len(begin)] + end) < most:
        begin += text[len(begin)]
        if _width(begin + text[-len(end) - 1] + end) < most:
            end = text[-len(end) - 1] + end
    return f"{begin}…{end}"


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def thin_out(points: Sequence[Point], *, most: int = 240) -> Sequence[Point]:
    """Return about `most` of the points: of each stretch the lowest and the highest, in the order of time.

    So every stall and every peak stays. All points are returned if there are no more than `most`.
    """
    if len(points) <= most:
        return points
    stretch = -(-len(points) * 2 // most)
    extremes: list[Point] = [points[0]]
    for begin in range(0, len(points), stretch):
        part = points[begin : begin + stretch]
        extremes += sorted({min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])})
    extremes.append(points[-1])
    return [point for number, point in enumerate(extremes) if number == 0 or point != extremes[number - 1]]
