"""A metric from run to run: its values with their intervals, the expected range, and changes of its level."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import CANDIDATE, LIMIT, Look, key
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.history import TrendPoint, TrendRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 45
"""Maximum number of runs drawn, the newest: more could not be told apart."""
EXPECTED = Look(colour=COLOURS["axis"], dashes=DASHES, marker="")
NEWEST = Look(colour=COLOURS["ink"], dashes="", marker="D")


@drawn_once
def trend(record: TrendRecord) -> Picture | None:
    """Return the last runs, evenly spaced, with this run marked; None for fewer than two."""
    points = [*record.points, *([record.this_run] if record.this_run else [])][-MOST:]
    largest = max((max(point.mean, point.high or 0.0) for point in points), default=0.0)
    if len(points) < 2 or largest <= 0.0:
        return None
    limit = _limit(record)
    largest = max(largest, record.expected_high or 0.0, limit or 0.0)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=largest, unit=record.unit)
        names = {"run": CANDIDATE}
        if record.this_run is not None:
            names["this run"] = NEWEST
        if record.expected_low is not None and record.expected_high is not None:
            axes.axhspan(record.expected_low, record.expected_high, color=COLOURS["axis"], alpha=0.2, linewidth=0.0)
            for edge in (record.expected_low, record.expected_high):
                axes.axhline(edge, color=EXPECTED.colour, linestyle=EXPECTED.dashes, linewidth=1.0)
            names["expected"] = EXPECTED
        if limit is not None:
            axes.axhline(limit, color=LIMIT.colour, linestyle=LIMIT.dashes, linewidth=1.4)
            names["limit"] = LIMIT
        _paint_runs(axes, points, record)
        key(axes, names)

    about = f"{record.metric} of {record.profile} on {record.storage_class}, run by run"
    return Picture(
        svg=draw(paint, label=about, right_px=42),
        caption=_caption(record, points),
        text=_in_words(record, points),
    )


def _limit(record: TrendRecord) -> float | None:
    """Return the value that is worse than the accepted level by exactly the margin of the limit."""
    if record.typical is None:
        return None
    return record.typical * (1.0 - record.margin if record.higher_is_better else 1.0 + record.margin)


def _paint_runs(axes: Axes, points: Sequence[TrendPoint], record: TrendRecord) -> None:
    places = range(len(points))
    reach = [
        [0.0 if edge is None else max(0.0, abs(edge - point.mean)) for point, edge in zip(points, edges, strict=True)]
        for edges in ([point.low for point in points], [point.high for point in points])
    ]
    axes.errorbar(places, [point.mean for point in points], yerr=reach, elinewidth=1.0, **CANDIDATE.of(0))
    if record.this_run is not None:
        axes.plot([places[-1]], [points[-1].mean], clip_on=False, zorder=5, **(NEWEST.of(1) | {"markersize": 8.0}))
    if record.change_point is not None:
        runs = [point.run for point in points]
        if record.change_point.run in runs:
            place = runs.index(record.change_point.run) - 0.5
            axes.axvline(place, color=COLOURS["limit"], linestyle=DOTS)
            late = place > len(points) / 2
            axes.annotate(
                f"{_day(record.change_point.date)} ",
                (place, 0.0),
                xytext=(-4 if late else 4, 5),
                textcoords="offset points",
                ha="right" if late else "left",
            )
    axes.set_xlim(-0.6, len(points) - 0.4)
    tick_places = sorted({0, len(points) // 2, len(points) - 1} if len(points) > 2 else {0, len(points) - 1})
    axes.set_xticks(tick_places, [_day(points[place].date) for place in tick_places])
    axes.set_xlabel("run by run")


def _day(date: datetime) -> str:
    return date.strftime("%Y-%m-%d")


def _caption(record: TrendRecord, points: Sequence[TrendPoint]) -> str:
    words = [f"{record.profile}: {record.metric} run by run; bars are the CIs of single runs."]
    if record.expected_low is not None:
        words.append(f"Shaded: the level of {record.compared_with} runs with its noise.")
        words.append(f"Limit: {100 * record.margin:.4g} % worse than that level; noise is allowed in addition.")
    if record.change_point is not None:
        words.append("Dotted: change of the level.")
    if len(record.points) + (record.this_run is not None) > len(points):
        words.append(f"Only the last {len(points)} runs are drawn.")
    return " ".join(words)


def _in_words(record: TrendRecord, points: Sequence[TrendPoint]) -> str:
    means = [format_quantity(pick(point.mean for point in points), unit=record.unit) for pick in (min, max)]
    last = format_quantity(points[-1].mean, unit=record.unit)
    words = [
        f"{len(points)} runs from {_day(points[0].date)} to {_day(points[-1].date)}: {means[0]} to {means[1]}, "
        f"the last {last}."
    ]
    if record.change_point is not None:
        change = record.change_point
        words.append(f"The level changed by {100 * change.change:+.1f} % with the run of {_day(change.date)}.")
    return " ".join(words)
