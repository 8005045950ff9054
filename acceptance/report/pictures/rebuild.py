"""A rebuild over time: its own rate, and what the writes of others noticed of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DOTTED, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import Look, Point, key, thinned
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = Look(colour=COLOURS["candidate"], dashes="-", marker="")
MEAN = Look(colour=COLOURS["ink"], dashes=DOTTED, marker="")
THINNED = 240


@drawn_once
def rebuild_rate(record: RebuildRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """The rate of the first rebuild since its replica was lost; None where the driver told no progress.

    `limits`: the mean rates that they come to.
    """
    rebuild = record.rebuilds[0]
    # Each rate from its beginning to its end, so that the line has steps.
    points = [point for each in rebuild.rates for point in ((each.from_s, each.rate), (each.to_s, each.rate))]
    if not _is_line(points):
        return None
    begun, mean = rebuild.waited_s, record.size / rebuild.seconds
    largest, end = max(mean, *(rate for _, rate in points)), max(points[-1][0], rebuild.waited_s + rebuild.seconds)
    drawn = near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([largest, *(each.value for each in drawn)]), unit="B/s")
        linear_axis(axes, "x", largest=end, unit="s", of="time")
        axes.axvspan(begun, begun + rebuild.seconds, color=COLOURS["band"], linewidth=0.0)
        _line(axes, points)
        axes.plot([begun, begun + rebuild.seconds], [mean, mean], **MEAN.of(2))
        key(axes, {"rate": LINE, "size / time": MEAN} | paint_levels(axes, drawn, begin=0.0, end=end))

    first = " of the first one" if len(record.rebuilds) > 1 else ""
    told = [format_quantity(each, unit="B/s") for each in (min(y for _, y in points), max(y for _, y in points))]
    return Picture(
        svg=draw(paint, label=f"Rate of the rebuild of {record.pattern} over time on {record.storage_class}"),
        caption=f"Rate of the rebuild{first}, in seconds since the replica was lost; shaded: while it went on.",
        text=f"From {told[0]} to {told[1]}; {format_quantity(mean, unit='B/s')} over the whole of its time."
        + levels_in_words(limits, drawn),
    )


@drawn_once
def rebuild_progress(record: RebuildRecord) -> Picture | None:
    """How much was rebuilt, each rebuild since it was first seen to go on; None where the driver told no progress."""
    lines = [_done(rebuild) for rebuild in record.rebuilds if rebuild.rates]
    lines = [points for points in lines if _is_line(points)]
    if not lines:
        return None

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max(record.size, *(points[-1][1] for points in lines)), unit="B")
        linear_axis(axes, "x", largest=max(points[-1][0] for points in lines), unit="s", of="time")
        axes.axhline(record.size, color=MEAN.colour, linestyle=MEAN.dashes)
        for points in lines:
            _line(axes, points)
        key(axes, {"rebuilt": LINE, "all of it": MEAN})

    halves = [next(at_s for at_s, done in points if 2 * done >= points[-1][1]) for points in lines]
    half, whole = (format_quantity(max(each), unit="s") for each in (halves, [points[-1][0] for points in lines]))
    several = f", {len(lines)} rebuilds" if len(lines) > 1 else ""
    return Picture(
        svg=draw(paint, label=f"Progress of the rebuild of {record.pattern} over time on {record.storage_class}"),
        caption=f"Data rebuilt over time, as the driver reported it{several}.",
        text=f"Half of it was there after {half}, all that was reported after {whole}.",
    )


def _done(rebuild: TimedRebuild) -> list[Point]:
    """Bytes rebuilt by each look at the progress, in s since it was first seen to go on."""
    zero, done = rebuild.rates[0].from_s, 0.0
    points = [(0.0, 0.0)]
    for rate in rebuild.rates:
        done += rate.rate * (rate.to_s - rate.from_s)
        points.append((rate.to_s - zero, done))
    return points


@drawn_once
def foreground_writes(record: RebuildRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Synchronous writes before and during the rebuilds; None where nothing is known of them."""
    load = record.foreground
    points = [] if load is None else [(point.at_s, point.iops) for point in load.points]
    if load is None or not _is_line(points):
        return None
    largest = max(iops for _, iops in points)
    drawn = near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([largest, *(each.value for each in drawn)]), unit="1/s")
        axes.set_xlim(points[0][0], points[-1][0])
        axes.set_xlabel("seconds since the rebuild began")
        for from_s, to_s in _while_rebuilt(record.rebuilds):
            axes.axvspan(from_s, min(to_s, points[-1][0]), color=COLOURS["band"], linewidth=0.0)
        _line(axes, points)
        for figure, edges in ((load.iops_before, (points[0][0], 0.0)), (load.iops_during, (0.0, points[-1][0]))):
            axes.plot(edges, [figure.mean] * 2, **MEAN.of(2))
        lines = paint_levels(axes, drawn, begin=0.0, end=points[-1][0])
        # The key of three has no room for more words; the caption has them.
        key(axes, {"writes": LINE, "mean": MEAN} | lines)

    before, during = (format_quantity(each.mean, unit="1/s") for each in (load.iops_before, load.iops_during))
    lowest = format_quantity(min(iops for _, iops in points), unit="1/s")
    return Picture(
        svg=draw(paint, label=f"Synchronous writes before and during the rebuild of {record.pattern}"),
        caption="Synchronous writes a second; dotted: the means before and during the rebuild, which is shaded.",
        text=f"{before} before, {during} during the rebuild, {lowest} at the lowest." + levels_in_words(limits, drawn),
    )


def _is_line(points: Sequence[Point]) -> bool:
    return len(points) > 1 and points[-1][0] > points[0][0] and max(value for _, value in points) > 0.0


def _line(axes: Axes, points: Sequence[Point]) -> None:
    kept = thinned(points, most=THINNED)
    axes.plot([x for x, _ in kept], [y for _, y in kept], **LINE.of(len(kept)))


def _while_rebuilt(rebuilds: Sequence[TimedRebuild]) -> list[tuple[float, float]]:
    """When each rebuild went on, in s since the first was."""
    zero = rebuilds[0].started
    return [
        ((rebuild.started - zero).total_seconds(), (rebuild.finished - zero).total_seconds()) for rebuild in rebuilds
    ]
