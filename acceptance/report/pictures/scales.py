"""Axes for readers: in a unit that fits, with few round numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from acceptance.text.quantities import Unit, format_quantity, unit_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TICKS = 5


def linear_axis(axes: Axes, direction: Literal["x", "y"], *, largest: float, unit: Unit, of: str = "") -> None:
    """Set an axis from zero to a little above `largest`, in a unit that fits.

    `of`: the quantity, if the unit alone does not tell.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    name, factor = unit_for(largest, unit=unit)
    axis = axes.yaxis if direction == "y" else axes.xaxis
    axis.set_major_locator(
        _in_units(MaxNLocator, factor)(nbins=MOST_TICKS, steps=[1, 2, 2.5, 5, 10], integer=unit == "pods")
    )
    axis.set_major_formatter(FuncFormatter(lambda value, _: _tick(round(value / factor, 9))))
    (axes.set_ylim if direction == "y" else axes.set_xlim)(0.0, largest * 1.06)
    axis.set_label_text(f"{of} ({name})" if of else name)


def _tick(value: float) -> str:
    """Return `1.5k`; but `0.5`, and not `500m`, which looks like another unit than that of the axis."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")(value) if abs(value) >= 1.0 else f"{value:g}"


def _in_units(locator: type, factor: float) -> type:
    """Return the locator, with round numbers in another unit than that of the values."""

    class InUnits(locator):  # type: ignore[misc]
        def tick_values(self, low: float, high: float) -> object:
            return super().tick_values(low / factor, high / factor) * factor

    return InUnits


def log_axis(axes: Axes, *, smallest: float, largest: float, unit: Unit) -> None:
    """Set a logarithmic y axis that includes both values (above zero), each tick with its unit."""
    low, high = smallest / 1.25, largest * 1.25
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.minorticks_off()
    ticks = round_numbers(low, high)
    if unit == "1/s":
        axes.set_yticks(ticks, [_tick(tick) for tick in ticks])
        axes.set_ylabel("IOPS, log scale")
    else:
        axes.set_yticks(ticks, [format_quantity(tick, unit=unit) for tick in ticks])


def round_numbers(low: float, high: float) -> list[float]:
    """Return some of 1, 2, 5, 10, 20, 50, ... from low to high, both above zero.

    They are no more than fit on an axis, and at least one if high is 1.5 times low.
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3), (1,)):
        numbers = [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
        if len(numbers) <= MOST_TICKS + 1:
            return numbers
    return numbers[:: math.ceil(len(numbers) / MOST_TICKS)]
