"""The changes from one run to another: a row for each metric, its change and interval next to the line of no change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acceptance.report.comparing.model import Change, Difference, Finding
from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import shorten
from acceptance.report.pictures.scales import MOST_TICKS
from acceptance.results.ratio_words import TIMES_FROM, comparison, factor
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 24
"""Maximum number of rows, those that changed most; all are in the table."""
ROW = 32
"""Height of a row, in pixels: its name above, its interval below."""
MARKERS: dict[Finding, tuple[str, str]] = {
    "better": ("^", COLOURS["candidate"]),
    "worse": ("v", COLOURS["limit"]),
    "within noise": ("o", COLOURS["axis"]),
    "not known": ("D", COLOURS["axis"]),
}
"""Marker and color by finding: never the color alone."""

_HALVES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
_TENTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

Row = tuple[Difference, Change]


@drawn_once
def differences(metric_differences: Sequence[Difference], *, of: str) -> Picture | None:
    """Return all known changes, as ratios on a log scale: twice is as far as half. None without any.

    `of`: the object that changed, such as the name of a class, for readers who cannot see the picture.
    """
    known_rows: list[Row] = [
        (difference, difference.change) for difference in metric_differences if difference.change is not None
    ]
    rows = [row for row in known_rows if row in sorted(known_rows, key=_size)[-MOST:]]
    if not rows:
        return None

    def paint(axes: Axes) -> None:
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(visible=False, axis="y")
        for place, (difference, change) in enumerate(rows):
            _paint_name(axes, place, difference, change)
        below = [place + 0.22 for place in range(len(rows))]
        axes.plot(*_pieces([(1.0, y - 0.2, 1.0, y + 0.2) for y in below]), color=COLOURS["ink"], linewidth=1.2)
        for finding, (marker, colour) in MARKERS.items():
            changes = [
                (change, y)
                for (difference, change), y in zip(rows, below, strict=True)
                if difference.finding == finding
            ]
            axes.plot(*_pieces([(change.low, y, change.high, y) for change, y in changes]), color=colour, linewidth=1.4)
            axes.plot(
                [change.ratio for change, _ in changes],
                [y for _, y in changes],
                color=colour,
                marker=marker,
                linestyle="",
                markersize=7.0,
                markeredgewidth=0.0,
            )
        multiples_axis(
            axes,
            low=min(change.low for _, change in rows),
            high=max(change.high for _, change in rows),
            tick=_tick,
        )

    fewer = f" Of {len(known_rows)} metrics the {MOST} that changed most." if len(known_rows) > len(rows) else ""
    return Picture(
        svg=draw(
            paint,
            label=f"Change of each metric of {of}",
            left_px=18,
            right_px=18,
            top_px=8,
            height=54 + ROW * len(rows),
        ),
        caption="Change with its CI; triangles up: better, down: worse; dots on shaded rows: within noise; "
        "diamonds: not known. "
        f"Vertical line: no change. Log scale.{fewer}",
        text=_in_words(known_rows),
    )


def _paint_name(axes: Axes, place: int, difference: Difference, change: Change) -> None:
    if difference.finding == "within noise":
        axes.axhspan(place - 0.48, place + 0.48, color=COLOURS["band"], linewidth=0.0)
    across, above = axes.get_yaxis_transform(), place - 0.22
    axes.text(0.0, above, shorten(f"{difference.profile} {difference.metric}", most=44), transform=across, va="center")
    axes.text(1.0, above, comparison(change.ratio, difference.metric), transform=across, va="center", ha="right")


def _pieces(pieces: Sequence[tuple[float, float, float, float]]) -> tuple[list[float], list[float]]:
    """Return lines of two points each as one line with gaps: x and y."""
    x = [value for x1, _, x2, _ in pieces for value in (x1, x2, math.nan)]
    y = [value for _, y1, _, y2 in pieces for value in (y1, y2, math.nan)]
    return x, y


def _size(row: Row) -> float:
    ratio = row[1].ratio
    return max(ratio, 1 / ratio)


def multiples_axis(axes: Axes, *, low: float, high: float, tick: Callable[[float], str]) -> None:
    """Set a log x axis of ratios from low to high that includes 1; `tick` formats a ratio."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    low, high = min(0.95, low) * 0.97, max(1.05, high) * 1.03
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_locator(NullLocator())
    ticks = ratio_ticks(low, high)
    axes.set_xticks(ticks, [tick(ratio) for ratio in ticks])


def _tick(ratio: float) -> str:
    """Return `+20 %`, `4x`, `0.25x`.

    The axis changes from percent to times at the same ratio as the words.
    """
    if factor(ratio) >= TIMES_FROM:
        return format_quantity(ratio, unit="ratio")
    return f"{100 * (ratio - 1):+,.0f} %" if ratio != 1.0 else "0 %"


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return round changes from low to high, 1 among them: as few as fit next to each other."""
    if low >= 0.45 and high <= 2.2:
        for step in (0.02, 0.05, 0.1, 0.2, 0.5):
            near = [round(1 + number * step, 2) for number in range(round(-1 / step) + 1, round(1.2 / step) + 1)]
            ticks = [tick for tick in near if low <= tick <= high]
            if len(ticks) <= MOST_TICKS:
                return ticks
    for scale in (_HALVES, _TENTHS, _TENTHS[1::2]):
        ticks = [tick for tick in scale if low <= tick <= high]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return [1.0]


def _in_words(rows: Sequence[Row]) -> str:
    counts = {finding: sum(difference.finding == finding for difference, _ in rows) for finding in MARKERS}
    largest, change = max(rows, key=_size)
    unknown = f", {counts['not known']} not known" if counts["not known"] else ""
    return (
        f"Of {len(rows)} metrics {counts['better']} are better, {counts['worse']} worse, "
        f"{counts['within noise']} within noise{unknown}; the largest change is {largest.profile} {largest.metric}, "
        f"{comparison(change.ratio, largest.metric)}."
    )
