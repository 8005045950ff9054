"""Axes of pictures: numbers of the unit that the axis names."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from acceptance.report.pictures.scales import linear_axis, log_axis
from acceptance.text.quantities import Unit


@pytest.mark.parametrize(
    ("largest", "unit", "expected"),
    [
        (126.0, "s", {"time (min)", "0", "0.5", "1", "1.5", "2"}),
        (7000.0, "1/s", {"time (IOPS)", "0", "2k", "4k", "6k"}),
    ],
)
def test_ticks_are_numbers_of_the_axis_own_unit(largest: float, unit: Unit, expected: set[str]) -> None:
    """Half a minute is no `500m` of one."""
    axes = Figure().subplots()
    linear_axis(axes, "x", largest=largest, unit=unit, of="time")
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = {
        xticklabel.get_text() for xticklabel in axes.get_xticklabels() if low <= xticklabel.get_position()[0] <= high
    }
    assert shown | {axes.get_xlabel()} == expected


def test_ticks_of_rates_below_one_are_no_thousandths() -> None:
    axes = Figure().subplots()
    log_axis(axes, smallest=0.2, largest=2.0, unit="1/s")
    assert {yticklabel.get_text() for yticklabel in axes.get_yticklabels()} == {"0.2", "0.5", "1", "2"}
