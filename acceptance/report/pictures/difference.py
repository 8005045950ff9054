"""What changed from one run to another: a row a metric, its change with its interval beside the line of no change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acceptance.report.comparing.model import Change, Difference, Finding
from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import shortened
from acceptance.report.pictures.scales import MOST_TICKS
from acceptance.results.ratio_words import TIMES_FROM, compared, factor
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 24
"""Rows drawn: with more, those that changed most; all are in the table."""
ROW = 32
"""Height of a row, in pixels: its name above, its interval below."""
MARKERS: dict[Finding, tuple[str, str]] = {
    "better": ("^", COLOURS["candidate"]),
    "worse": ("v", COLOURS["limit"]),
    "within noise": ("o", COLOURS["axis"]),
    "not known": ("D", COLOURS["axis"]),
}
"""Marker and colour by what was found: never the colour alone."""

_HALVES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
_TENTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

Row = tuple[Difference, Change]


@drawn_once
def differences(found: Sequence[Difference], *, of: str) -> Picture | None:
    """All changes that are known, as ratios on a log scale: twice is as far as half. None without any.

    `of`: whose they are, such as the name of a class, for who cannot see the picture.
    """
    known: list[Row] = [(each, each.change) for each in found if each.change is not None]
    rows = [row for row in known if row in sorted(known, key=_size)[-MOST:]]
    if not rows:
        return None

    def paint(axes: Axes) -> None:
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(visible=False, axis="y")
        for place, (each, change) in enumerate(rows):
            _paint_name(axes, place, each, change)
        below = [place + 0.22 for place in range(len(rows))]
        axes.plot(*_pieces([(1.0, y - 0.2, 1.0, y + 0.2) for y in below]), color=COLOURS["ink"], linewidth=1.2)
        for finding, (marker, colour) in MARKERS.items():
            those = [(change, y) for (each, change), y in zip(rows, below, strict=True) if each.finding == finding]
            axes.plot(*_pieces([(each.low, y, each.high, y) for each, y in those]), color=colour, linewidth=1.4)
            axes.plot(
                [each.ratio for each, _ in those],
                [y for _, y in those],
                color=colour,
                marker=marker,
                linestyle="",
                markersize=7.0,
                markeredgewidth=0.0,
            )
        multiples_axis(axes, low=min(each.low for _, each in rows), high=max(each.high for _, each in rows), tick=_tick)

    fewer = f" Of {len(known)} metrics the {MOST} that changed most." if len(known) > len(rows) else ""
    return Picture(
        svg=draw(paint, label=f"Change of each metric of {of}", left=18, right=18, top=8, height=54 + ROW * len(rows)),
        caption="Change with its CI; triangles up: better, down: worse; dots on shaded rows: within noise; "
        "diamonds: not known. "
        f"Upright: no change. Log scale.{fewer}",
        text=_in_words(known),
    )


def _paint_name(axes: Axes, place: int, each: Difference, change: Change) -> None:
    if each.finding == "within noise":
        axes.axhspan(place - 0.48, place + 0.48, color=COLOURS["band"], linewidth=0.0)
    across, above = axes.get_yaxis_transform(), place - 0.22
    axes.text(0.0, above, shortened(f"{each.profile} {each.metric}", most=44), transform=across, va="center")
    axes.text(1.0, above, compared(change.ratio, each.metric), transform=across, va="center", ha="right")


def _pieces(pieces: Sequence[tuple[float, float, float, float]]) -> tuple[list[float], list[float]]:
    """Lines of two points each as one line with gaps: x and y."""
    x = [value for x1, _, x2, _ in pieces for value in (x1, x2, math.nan)]
    y = [value for _, y1, _, y2 in pieces for value in (y1, y2, math.nan)]
    return x, y


def _size(row: Row) -> float:
    ratio = row[1].ratio
    return max(ratio, 1 / ratio)


def multiples_axis(axes: Axes, *, low: float, high: float, tick: Callable[[float], str]) -> None:
    """A log x axis of ratios from low to high that has 1 on it; `tick` writes a ratio."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    low, high = min(0.95, low) * 0.97, max(1.05, high) * 1.03
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_locator(NullLocator())
    ticks = ratio_ticks(low, high)
    axes.set_xticks(ticks, [tick(each) for each in ticks])


def _tick(ratio: float) -> str:
    """`+20 %`, `4x`, `0.25x`: as far from the same as the words are told in times, so is the axis."""
    if factor(ratio) >= TIMES_FROM:
        return format_quantity(ratio, unit="ratio")
    return f"{100 * (ratio - 1):+,.0f} %" if ratio != 1.0 else "0 %"


def ratio_ticks(low: float, high: float) -> list[float]:
    """Round changes from low to high, 1 among them: as few as can stand beside each other."""
    if low >= 0.45 and high <= 2.2:
        for step in (0.02, 0.05, 0.1, 0.2, 0.5):
            near = [round(1 + number * step, 2) for number in range(round(-1 / step) + 1, round(1.2 / step) + 1)]
            found = [each for each in near if low <= each <= high]
            if len(found) <= MOST_TICKS:
                return found
    for ticks in (_HALVES, _TENTHS, _TENTHS[1::2]):
        found = [tick for tick in ticks if low <= tick <= high]
        if len(found) <= MOST_TICKS:
            return found
    return [1.0]


def _in_words(rows: Sequence[Row]) -> str:
    counted = {finding: sum(each.finding == finding for each, _ in rows) for finding in MARKERS}
    each, change = max(rows, key=_size)
    unknown = f", {counted['not known']} not known" if counted["not known"] else ""
    return (
        f"Of {len(rows)} metrics {counted['better']} are better, {counted['worse']} worse, "
        f"{counted['within noise']} within noise{unknown}; the largest change is {each.profile} {each.metric}, "
        f"{compared(change.ratio, each.metric)}."
    )
