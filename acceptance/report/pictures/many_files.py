"""Many files: the rate of each operation as their number grows, and start times of pods on none and on all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import Look, Point, key, thin_out
from acceptance.report.pictures.scales import linear_axis, round_numbers
from acceptance.results.many_files import STARTS, FileOperation, FileRate, ManyFilesRecord, StartKind
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RATES: Mapping[FileOperation, Look] = {
    "create": Look(colour=COLOURS["candidate"], dashes="-", marker=""),
    "list": Look(colour=COLOURS["ink"], dashes=DOTS, marker=""),
    "stat": Look(colour=COLOURS["baseline"], dashes=DASHES, marker=""),
    "delete": Look(colour=COLOURS["limit"], dashes="-.", marker=""),
}
GROUPS: Mapping[StartKind, tuple[str, Look]] = {
    "same-group": ("own", Look(colour=COLOURS["candidate"], dashes="-", marker="o")),
    "other-group": ("another", Look(colour=COLOURS["baseline"], dashes=DASHES, marker="s")),
    "other-group-always": ("Always", Look(colour=COLOURS["ink"], dashes=DOTS, marker="^")),
}


@drawn_once
def rates_by_files(record: ManyFilesRecord) -> Picture | None:
    """Return files a second by the number of files before, the y axis logarithmic; None for fewer than two points."""
    lines = {rate.operation: points for rate in record.rates if len(points := list(_points(rate))) > 1}
    if not lines:
        return None
    values = [y for points in lines.values() for _, y in points]
    most = max(points[-1][0] for points in lines.values())

    def paint(axes: Axes) -> None:
        low, high = min(values) / 1.25, max(values) * 1.25
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        axes.minorticks_off()
        ticks = round_numbers(low, high)
        axes.set_yticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        axes.set_ylabel("files a second, log scale")
        linear_axis(axes, "x", largest=most, unit="pods", of="files")
        axes.set_xlabel("files done so far")
        for operation, points in lines.items():
            line_points = thin_out(points)
            axes.plot([x for x, _ in line_points], [y for _, y in line_points], **RATES[operation].of(len(line_points)))
        key(axes, {line: RATES[line] for line in lines})

    return Picture(
        svg=draw(paint, label=f"Files a second by their number on {record.storage_class}", left_px=82),
        caption="Files a second, folder by folder; the y scale is logarithmic.",
        text=" ".join(
            f"{operation}: {points[0][1]:,.0f} a second at first, {points[-1][1]:,.0f} at last."
            for operation, points in lines.items()
        ),
    )


@drawn_once
def starts_by_files(record: ManyFilesRecord, *, limits: tuple[Level, ...] = ()) -> Picture | None:
    """Return the start times of pods on the empty volume and on the full one, each a point; None if none started."""
    points: dict[StartKind, list[Point]] = {}
    for start in record.starts:
        if start.seconds is not None:
            points.setdefault(start.kind, []).append((float(start.files), start.seconds))
    if not points or not record.files:
        return None
    largest = max(y for starts in points.values() for _, y in starts)
    levels = near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=max([largest, *(level.value for level in levels)]), unit="s", of="until started")
        axes.set_xlim(-0.08 * record.files, 1.08 * record.files)
        axes.set_xticks([0.0, float(record.files)], ["0", f"{record.files:,}"])
        axes.set_xlabel("files on the volume")
        for kind, starts in points.items():
            look = GROUPS[kind][1]
            axes.plot([x for x, _ in starts], [y for _, y in starts], **look.of(1) | {"linestyle": ""})
            means = sorted(_means(starts).items())
            axes.plot([x for x, _ in means], [y for _, y in means], **look.of(len(means)) | {"marker": ""})
        names = {GROUPS[kind][0]: GROUPS[kind][1] for kind in points}
        key(axes, names | paint_levels(axes, levels, begin=-0.08 * record.files, end=1.08 * record.files))

    return Picture(
        svg=draw(paint, label=f"Time until pods started by the number of files on {record.storage_class}"),
        caption="Start time of a pod on an empty volume and on the volume with files, by its fsGroup (the volume's "
        "own, another, another with Always); lines join the means.",
        text=" ".join(
            f"{STARTS[kind]}: "
            + ", ".join(f"{format_quantity(y, unit='s')} on {x:,.0f} files" for x, y in sorted(_means(starts).items()))
            + "."
            for kind, starts in points.items()
        )
        + levels_in_words(limits, levels),
    )


def _points(rate: FileRate) -> Iterator[Point]:
    for files_so_far, count, seconds in zip(accumulate(rate.counts), rate.counts, rate.seconds, strict=True):
        if seconds > 0.0:
            yield float(files_so_far), count / seconds


def _means(points: list[Point]) -> dict[float, float]:
    values_by_x: dict[float, list[float]] = {}
    for x, y in points:
        values_by_x.setdefault(x, []).append(y)
    return {x: sum(values) / len(values) for x, values in values_by_x.items()}
