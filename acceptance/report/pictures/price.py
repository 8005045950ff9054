"""CPU and memory of the storage's pods over time, the load shaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import CANDIDATE, Point, thin_out
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.price import PriceRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawn_once
def cpu_over_time(record: PriceRecord) -> Picture | None:
    """Return the CPU seconds a second of all pods together; None if no kubelet reported any."""
    return _over_time(record, record.cpu_series, of="CPU", unit="cpu")


@drawn_once
def memory_over_time(record: PriceRecord) -> Picture | None:
    """Return the working sets of all pods together; None if no kubelet reported any."""
    return _over_time(record, record.memory_series, of="memory", unit="B")


def _over_time(
    record: PriceRecord, series: Sequence[float | None], *, of: str, unit: Literal["cpu", "B"]
) -> Picture | None:
    points: list[Point] = [
        ((number + 0.5) * record.step_s, value) for number, value in enumerate(series) if value is not None
    ]
    largest = max((value for _, value in points), default=0.0)
    if len(points) < 2 or largest <= 0.0:
        return None
    load = next(period for period in record.periods if period.name == "load")
    last_s = max(points[-1][0], load.end_s)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=largest, unit=unit)
        linear_axis(axes, "x", largest=last_s, unit="s", of="time")
        axes.axvspan(load.begin_s, load.end_s, color=COLOURS["band"], linewidth=0.0)
        line_points = thin_out(points)
        axes.plot([x for x, _ in line_points], [y for _, y in line_points], **CANDIDATE.of(len(line_points)))

    pods = f"the pods of {' and '.join(record.of)}"
    means = ", ".join(
        f"{'idle' if period.name == 'rest' else period.name} {format_quantity(value, unit=unit)}"
        for period in record.periods
        if (value := (period.cpu.mean if period.cpu else None) if unit == "cpu" else period.memory) is not None
    )
    return Picture(
        svg=draw(paint, label=f"{of} of {pods} over time, {record.profile} on {record.storage_class}", left_px=84),
        caption=f"{of[0].upper()}{of[1:]} of {pods}, all together, over time; shaded: the load of {record.profile}.",
        text=f"{of[0].upper()}{of[1:]}: {means}.",
    )
