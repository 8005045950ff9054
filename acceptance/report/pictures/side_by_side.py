"""Several runs or classes side by side: the ratio of each to the first, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acceptance.report.comparing.model import Change
from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, draw
from acceptance.report.pictures.difference import multiples_axis
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import BASELINE, CANDIDATE, Look, key, shorten
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 16
"""Maximum number of rows, those that differ most; all are in the table."""
LOOKS = (
    CANDIDATE,
    BASELINE,
    Look(colour=COLOURS["ink"], dashes="-", marker="^"),
    Look(colour=COLOURS["candidate"], dashes="-", marker="D"),
    Look(colour=COLOURS["baseline"], dashes="-", marker="v"),
    Look(colour=COLOURS["ink"], dashes="-", marker="P"),
)
"""Looks of the columns from the second on: never told apart by color alone."""
NAME, LINE = 22, 13
"""Heights in pixels: of a row's name, and of each column's line below it."""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """One metric of one profile: the change of each column from the second on to the first, None if it is not known."""

    profile: str
    metric: str
    changes: Sequence[Change | None]


@dataclass(frozen=True, kw_only=True)
class Multiple:
    """A ratio to the first column, above 1 if better, with the difference's CI; `column` counts from the second."""

    column: int
    value: float
    low: float
    high: float


Row = tuple[Beside, Sequence[Multiple]]


@drawn_once
def beside_each_other(metrics: Sequence[Beside], *, columns: Sequence[str]) -> Picture | None:
    """Return the differences from column 1 as multiples; None if no difference is known.

    Right is better whatever the metric: more IOPS and bandwidth, less latency and CPU time.
    """
    rows_with_data = [(metric, list(_multiples(metric))) for metric in metrics]
    rows_with_data = [row for row in rows_with_data if row[1]]
    rows = [row for row in rows_with_data if row in sorted(rows_with_data, key=_spread)[-MOST:]]
    if not rows:
        return None
    names = [f"{number}: {name}" for number, name in enumerate(columns, start=1)][1 : len(LOOKS) + 1]
    tall = NAME + LINE * len(names)

    def paint(axes: Axes) -> None:
        axes.set_ylim(tall * len(rows), 0.0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(visible=False, axis="y")
        edges = [edge for _, multiples in rows for multiple in multiples for edge in (multiple.low, multiple.high)]
        multiples_axis(axes, low=min(edges), high=max(edges), tick=lambda ratio: format_quantity(ratio, unit="ratio"))
        axes.set_xlabel("as good as column 1")
        for place, (metric, multiples) in enumerate(rows):
            _paint_row(axes, metric, multiples, top=place * tall, tall=tall)
        # More than two names would have no room: the numbers are those of the columns of the table.
        key(axes, {name if len(names) <= 2 else name.partition(":")[0]: LOOKS[at] for at, name in enumerate(names)})

    fewer = f" Of {len(rows_with_data)} metrics the {MOST} that differ most." if len(rows_with_data) > len(rows) else ""
    left_out = f" Columns from {len(LOOKS) + 2} on are not drawn." if len(columns) > len(LOOKS) + 1 else ""
    return Picture(
        svg=draw(paint, label="Each metric next to column 1", left_px=18, right_px=18, height=76 + tall * len(rows)),
        caption="How many times as good as column 1, with the CI of the difference; right of the vertical line is "
        f"better: more IOPS and bandwidth, less latency and CPU time. Log scale.{fewer}{left_out}",
        text=" ".join(_in_words(names, rows_with_data)),
    )


def _multiples(row: Beside) -> Iterator[Multiple]:
    """Yield the ratios to the first column; none for a metric of unknown direction."""
    try:
        higher_is_better = Metric.parse(row.metric).higher_is_better
    except ValueError:
        return
    for column, change in enumerate(row.changes[: len(LOOKS)]):
        if change is not None:
            edges = (change.ratio, change.low, change.high)
            times = edges if higher_is_better else [1.0 / edge for edge in edges]
            yield Multiple(column=column, value=times[0], low=min(times), high=max(times))


def _spread(row: Row) -> float:
    return max(abs(math.log(multiple.value)) for multiple in row[1])


def _paint_row(axes: Axes, row: Beside, multiples: Sequence[Multiple], *, top: float, tall: float) -> None:
    name = shorten(f"{row.profile} {row.metric}", most=52)
    axes.text(0.0, top + NAME / 2 + 1, name, transform=axes.get_yaxis_transform(), va="center")
    axes.plot([1.0, 1.0], [top + NAME - 3, top + tall - 3], color=COLOURS["ink"], linewidth=1.2)
    for multiple in multiples:
        look, y = LOOKS[multiple.column], top + NAME + LINE * (multiple.column + 0.3)
        axes.plot([multiple.low, multiple.high], [y, y], color=look.colour, linewidth=1.4)
        axes.plot([multiple.value], [y], color=look.colour, marker=look.marker, markersize=6.5, markeredgewidth=0.0)


def _in_words(names: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    for column, name in enumerate(names):
        values = [multiple.value for _, multiples in rows for multiple in multiples if multiple.column == column]
        if values:
            low, high = (format_quantity(pick(values), unit="ratio") for pick in (min, max))
            of = f"{len(values)} metrics" if len(values) > 1 else "one metric"
            yield f"Column {name}: {f'{low} to {high}' if low != high else low} as good as column 1, of {of}."
