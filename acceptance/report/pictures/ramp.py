"""A ramp of pods: how many there were over time, and how long each took to start."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHED, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import Look, key, thinned
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ASKED = Look(colour=COLOURS["ink"], dashes=DASHED, marker="")
RUNNING = Look(colour=COLOURS["candidate"], dashes="-", marker="")
THINNED = 240
DOTS = 160


@drawn_once
def pods_over_time(record: ControlPlaneRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Pods asked for and running, to the moment that ended the ramp; None where there is no line."""
    growth = record.growth
    if len(growth) < 2 or growth[-1].at_s <= 0.0 or not max(point.requested for point in growth):
        return None
    most = max(point.requested for point in growth)
    drawn = near(limits, largest=most)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([most, *(each.value for each in drawn)]), unit="pods")
        linear_axis(axes, "x", largest=growth[-1].at_s, unit="s", of="time")
        for look, points in (
            (ASKED, [(point.at_s, float(point.requested)) for point in growth]),
            (RUNNING, [(point.at_s, float(point.running)) for point in growth]),
        ):
            kept = thinned(points, most=THINNED)
            axes.plot([x for x, _ in kept], [y for _, y in kept], **look.of(len(kept)))
        lines = paint_levels(axes, drawn, begin=0.0, end=growth[-1].at_s)
        key(axes, {"running": RUNNING, "asked for": ASKED} | lines)

    last = growth[-1]
    return Picture(
        svg=draw(paint, label=f"Pods asked for and running over time on {record.storage_class}"),
        caption="Pods over time, to the moment that ended the ramp; dashed: asked for.",
        text=f"After {format_quantity(last.at_s, unit='s')} {last.running} ran of {last.requested} requested."
        + levels_in_words(limits, drawn),
    )


@drawn_once
def start_times(record: ControlPlaneRecord) -> Picture | None:
    """A dot for each pod that started, from creation to running, by how many had been made; None where none did."""
    took = [start.took_s for start in record.starts]
    if not took or max(took) <= 0.0:
        return None

    def paint(axes: Axes) -> None:
        points = thinned(sorted((float(start.pods), start.took_s) for start in record.starts), most=DOTS)
        linear_axis(axes, "y", largest=max(took), unit="s", of="start time")
        linear_axis(axes, "x", largest=max(x for x, _ in points), unit="pods")
        axes.set_xlabel("pods made so far")
        axes.plot([x for x, _ in points], [y for _, y in points], color=RUNNING.colour, linestyle="", marker=".")

    fewer = " Of each stretch the quickest and the slowest are drawn." if len(took) > DOTS else ""
    middle, longest = (format_quantity(each, unit="s") for each in (median(took), max(took)))
    return Picture(
        svg=draw(paint, label=f"Start time of each pod by number of pods on {record.storage_class}", top=12),
        caption=f"How long each pod took from creation to running, by how many had been made.{fewer}",
        text=f"{len(took)} pods started, half of them within {middle}, the slowest in {longest}.",
    )
