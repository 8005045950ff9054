"""Many volumes at once: their rates together and each, and the capacity that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.levels import Level, levels_in_words, near, paint_levels
from acceptance.report.pictures.lines import CANDIDATE, Look, key
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.scaling import Figure, ScalingRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CAPACITY = Look(colour=COLOURS["ink"], dashes=DASHES, marker="")
CURVE_POINTS = 40


@drawn_once
def together_by_volumes(record: ScalingRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Return the total by the number of volumes, with the fitted capacity as a level; None for one step, or no load."""
    totals = {step.pods: step.total for step in record.steps}
    return _picture(record, totals, share=lambda _: 1.0, title="Together", curve="capacity C", limits=limits)


@drawn_once
def each_by_volumes(record: ScalingRecord, *, limits: Sequence[Level] = ()) -> Picture | None:
    """Return the mean per volume by their number, with the fitted curve C / y; None for one step, or no load."""
    means = {step.pods: step.per_volume for step in record.steps}
    return _picture(
        record, means, share=lambda volumes: 1.0 / volumes, title="Each", curve="C / volumes", limits=limits
    )


def _picture(
    record: ScalingRecord,
    steps: Mapping[int, Figure],
    *,
    share: Callable[[float], float],
    title: str,
    curve: str,
    limits: Sequence[Level],
) -> Picture | None:
    largest = max(max(step.mean, step.high or 0.0) for step in steps.values())
    if len(steps) < 2 or largest <= 0.0:
        return None
    capacity, near_levels = record.capacity, near(limits, largest=largest)

    def paint(axes: Axes) -> None:
        names = {"measured": CANDIDATE}
        linear_axis(axes, "y", largest=max([largest, *(level.value for level in near_levels)]), unit=record.unit)
        axes.set_xlim(0.0, max(steps) * 1.04)
        axes.set_xticks(_few(list(steps)))
        axes.set_xlabel("volumes")
        if capacity is not None:
            first, last = capacity.plateau_pods, max(steps)
            x = [first + (last - first) * number / CURVE_POINTS for number in range(CURVE_POINTS + 1)]
            constant = capacity.constant
            if constant.low is not None and constant.high is not None:
                low, high = ([edge * share(volumes) for volumes in x] for edge in (constant.low, constant.high))
                axes.fill_between(x, low, high, color=COLOURS["axis"], alpha=0.2, linewidth=0.0)
            axes.plot(x, [constant.mean * share(volumes) for volumes in x], **CAPACITY.of(len(x)))
            names[curve] = CAPACITY
        reach = [[_reach(step, side) for step in steps.values()] for side in (-1, 1)]
        axes.errorbar(
            list(steps),
            [step.mean for step in steps.values()],
            yerr=reach,
            capsize=3.0,
            elinewidth=1.2,
            **CANDIDATE.of(len(steps)),
        )
        key(axes, names | paint_levels(axes, near_levels, begin=0.0, end=max(steps) * 1.04))

    curve_note = "" if capacity is None else " Dashed: the fitted capacity, shaded its CI."
    about = f"{record.profile} on {record.storage_class}"
    return Picture(
        svg=draw(paint, label=f"{title}, by number of volumes: {record.metric} of {about}"),
        caption=f"{title}, by number of volumes; bars are CIs.{curve_note}",
        text=f"{title}: "
        + ", ".join(f"{format_quantity(step.mean, unit=record.unit)} at {volumes}" for volumes, step in steps.items())
        + "."
        + levels_in_words(limits, near_levels),
    )


def _reach(figure: Figure, side: int) -> float:
    """Return the distance from the mean to the end of the interval on that side."""
    edge = figure.low if side < 0 else figure.high
    return 0.0 if edge is None else max(0.0, side * (edge - figure.mean))


def _few(volumes: list[int]) -> list[int]:
    """Return the numbers at the axis: far enough apart to be read."""
    ticks = volumes[-1:]
    for volume in reversed(volumes[:-1]):
        if ticks[0] - volume >= volumes[-1] / 10:
            ticks.insert(0, volume)
    return ticks
