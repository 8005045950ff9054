"""A rebuild over time: its own rate, and its effect on foreground writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import Look, Point, key, thin_out
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = Look(colour=COLOURS["candidate"], dashes="-", marker="")
MEAN = Look(colour=COLOURS["ink"], dashes=DOTS, marker="")
MOST_POINTS = 240


@drawn_once
def rebuild_rate(record: RebuildRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Return the rate of the first rebuild since its replica was lost; None if the driver reported no progress.

    `limits`: the mean rates that the limits require.
    """
    rebuild = record.rebuilds[0]
    # Each rate from its beginning to its end, so that the line has steps.
    points = [point for step in rebuild.rates for point in ((step.from_s, step.rate), (step.to_s, step.rate))]
    if not _is_line(points):
        return None
    begin_s, mean = rebuild.waited_s, record.size / rebuild.seconds
    largest, end = max(mean, *(rate for _, rate in points)), max(points[-1][0], rebuild.waited_s + rebuild.seconds)
    near_levels = near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([largest, *(level.value for level in near_levels)]), unit="B/s")
        linear_axis(axes, "x", largest=end, unit="s", of="time")
        axes.axvspan(begin_s, begin_s + rebuild.seconds, color=COLOURS["band"], linewidth=0.0)
        _line(axes, points)
        axes.plot([begin_s, begin_s + rebuild.seconds], [mean, mean], **MEAN.of(2))
        key(axes, {"rate": LINE, "size / time": MEAN} | paint_levels(axes, near_levels, begin=0.0, end=end))

    first = " of the first one" if len(record.rebuilds) > 1 else ""
    extremes = [format_quantity(rate, unit="B/s") for rate in (min(y for _, y in points), max(y for _, y in points))]
    return Picture(
        svg=draw(paint, label=f"Rate of the rebuild of {record.pattern} over time on {record.storage_class}"),
        caption=f"Rate of the rebuild{first}, in seconds since the replica was lost; shaded: the time of the rebuild.",
        text=f"From {extremes[0]} to {extremes[1]}; {format_quantity(mean, unit='B/s')} over its complete duration."
        + levels_in_words(limits, near_levels),
    )


@drawn_once
def rebuild_progress(record: RebuildRecord) -> Picture | None:
    """Return the data rebuilt over time, each rebuild from its first sight; None if the driver reported no progress."""
    lines = [_progress(rebuild) for rebuild in record.rebuilds if rebuild.rates]
    lines = [points for points in lines if _is_line(points)]
    if not lines:
        return None

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max(record.size, *(points[-1][1] for points in lines)), unit="B")
        linear_axis(axes, "x", largest=max(points[-1][0] for points in lines), unit="s", of="time")
        axes.axhline(record.size, color=MEAN.colour, linestyle=MEAN.dashes)
        for points in lines:
            _line(axes, points)
        key(axes, {"rebuilt": LINE, "all data": MEAN})

    halves = [next(at_s for at_s, size in points if 2 * size >= points[-1][1]) for points in lines]
    half, whole = (format_quantity(max(times), unit="s") for times in (halves, [points[-1][0] for points in lines]))
    several = f", {len(lines)} rebuilds" if len(lines) > 1 else ""
    return Picture(
        svg=draw(paint, label=f"Progress of the rebuild of {record.pattern} over time on {record.storage_class}"),
        caption=f"Data rebuilt over time, as the driver reported it{several}.",
        text=f"Half of the data was rebuilt after {half}, all reported data after {whole}.",
    )


def _progress(rebuild: TimedRebuild) -> list[Point]:
    """Return the bytes rebuilt at each poll of the progress, in s since the rebuild was first seen."""
    zero, size = rebuild.rates[0].from_s, 0.0
    points = [(0.0, 0.0)]
    for rate in rebuild.rates:
        size += rate.rate * (rate.to_s - rate.from_s)
        points.append((rate.to_s - zero, size))
    return points


@drawn_once
def foreground_writes(record: RebuildRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Return synchronous writes before and during the rebuilds; None if nothing is known of them."""
    load = record.foreground
    points = [] if load is None else [(point.at_s, point.iops) for point in load.points]
    if load is None or not _is_line(points):
        return None
    largest = max(iops for _, iops in points)
    near_levels = near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([largest, *(level.value for level in near_levels)]), unit="1/s")
        axes.set_xlim(points[0][0], points[-1][0])
        axes.set_xlabel("seconds since the rebuild began")
        for from_s, to_s in _while_rebuilt(record.rebuilds):
            axes.axvspan(from_s, min(to_s, points[-1][0]), color=COLOURS["band"], linewidth=0.0)
        _line(axes, points)
        for figure, edges in ((load.iops_before, (points[0][0], 0.0)), (load.iops_during, (0.0, points[-1][0]))):
            axes.plot(edges, [figure.mean] * 2, **MEAN.of(2))
        lines = paint_levels(axes, near_levels, begin=0.0, end=points[-1][0])
        # The key of three has no room for more words; the caption has them.
        key(axes, {"writes": LINE, "mean": MEAN} | lines)

    before, during = (format_quantity(figure.mean, unit="1/s") for figure in (load.iops_before, load.iops_during))
    lowest = format_quantity(min(iops for _, iops in points), unit="1/s")
    return Picture(
        svg=draw(paint, label=f"Synchronous writes before and during the rebuild of {record.pattern}"),
        caption="Synchronous writes a second; dotted: the means before and during the rebuild, which is shaded.",
        text=f"{before} before, {during} during the rebuild, {lowest} at the lowest."
        + levels_in_words(limits, near_levels),
    )


def _is_line(points: Sequence[Point]) -> bool:
    return len(points) > 1 and points[-1][0] > points[0][0] and max(value for _, value in points) > 0.0


def _line(axes: Axes, points: Sequence[Point]) -> None:
    line_points = thin_out(points, most=MOST_POINTS)
    axes.plot([x for x, _ in line_points], [y for _, y in line_points], **LINE.of(len(line_points)))


def _while_rebuilt(rebuilds: Sequence[TimedRebuild]) -> list[tuple[float, float]]:
    """Return the times at which each rebuild ran, in s since the first one began."""
    zero = rebuilds[0].started
    return [
        ((rebuild.started - zero).total_seconds(), (rebuild.finished - zero).total_seconds()) for rebuild in rebuilds
    ]
