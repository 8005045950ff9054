"""A ramp of pods: their number over time, and the start time of each."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import Look, key, thin_out
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REQUEST_LINE = Look(colour=COLOURS["ink"], dashes=DASHES, marker="")
RUNNING = Look(colour=COLOURS["candidate"], dashes="-", marker="")
MOST_POINTS = 240
MOST_DOTS = 160


@drawn_once
def pods_over_time(record: ControlPlaneRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Return the pods requested and running, until the end of the ramp; None if there is no line."""
    growth = record.growth
    if len(growth) < 2 or growth[-1].at_s <= 0.0 or not max(point.requested for point in growth):
        return None
    most = max(point.requested for point in growth)
    near_levels = near(limits, largest=most)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([most, *(level.value for level in near_levels)]), unit="pods")
        linear_axis(axes, "x", largest=growth[-1].at_s, unit="s", of="time")
        for look, points in (
            (REQUEST_LINE, [(point.at_s, float(point.requested)) for point in growth]),
            (RUNNING, [(point.at_s, float(point.running)) for point in growth]),
        ):
            line_points = thin_out(points, most=MOST_POINTS)
            axes.plot([x for x, _ in line_points], [y for _, y in line_points], **look.of(len(line_points)))
        lines = paint_levels(axes, near_levels, begin=0.0, end=growth[-1].at_s)
        key(axes, {"running": RUNNING, "requested": REQUEST_LINE} | lines)

    last = growth[-1]
    return Picture(
        svg=draw(paint, label=f"Pods requested and running over time on {record.storage_class}"),
        caption="Pods over time, until the ramp ended; dashed: requested.",
        text=f"After {format_quantity(last.at_s, unit='s')} {last.running} ran of {last.requested} requested."
        + levels_in_words(limits, near_levels),
    )


@drawn_once
def start_times(record: ControlPlaneRecord) -> Picture | None:
    """Return a dot for each started pod, from creation to running, by the number of pods; None if none started."""
    took = [start.took_s for start in record.starts]
    if not took or max(took) <= 0.0:
        return None

    def paint(axes: Axes) -> None:
        points = thin_out(sorted((float(start.pods), start.took_s) for start in record.starts), most=MOST_DOTS)
        linear_axis(axes, "y", largest=max(took), unit="s", of="start time")
        linear_axis(axes, "x", largest=max(x for x, _ in points), unit="pods")
        axes.set_xlabel("pods created so far")
        axes.plot([x for x, _ in points], [y for _, y in points], color=RUNNING.colour, linestyle="", marker=".")

    fewer = " Of each stretch, the fastest and the slowest are drawn." if len(took) > MOST_DOTS else ""
    middle, longest = (format_quantity(seconds, unit="s") for seconds in (median(took), max(took)))
    return Picture(
        svg=draw(paint, label=f"Start time of each pod by number of pods on {record.storage_class}", top_px=12),
        caption=f"Time of each pod from creation to running, by the number of pods created before.{fewer}",
        text=f"{len(took)} pods started, half of them within {middle}, the slowest in {longest}.",
    )
