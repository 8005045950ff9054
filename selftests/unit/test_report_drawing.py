"""The drawing of the total over the number of volumes: where its line is, and when there is none."""

from __future__ import annotations

import pytest

from acceptance.report.drawing import BOTTOM, RIGHT, TOP, draw
from acceptance.scaling.model import capacity
from acceptance.scaling.records import Figure


def total(mean: float, low: float | None = None, high: float | None = None) -> Figure:
    return Figure(mean=mean, low=low, high=high, batches=[])


def test_the_axes_begin_at_zero_and_end_at_the_largest() -> None:
    drawing = draw({2: total(500, 400, 600), 4: total(1000)}, None, unit="1/s")
    assert drawing is not None
    half, full = drawing.marks
    assert (full.x, full.y, full.low, full.high) == (RIGHT, TOP, TOP, TOP)
    assert half.y == (TOP + BOTTOM) / 2
    assert half.low > half.y > half.high
    assert drawing.points == f"{half.x},{half.y} {full.x},{full.y}"
    assert (drawing.largest, drawing.level) == ("1,000 IOPS", None)


def test_the_capacity_is_a_level() -> None:
    totals = {1: total(100), 2: total(500), 4: total(500)}
    drawing = draw(totals, capacity(totals, confidence=0.98), unit="1/s")
    assert drawing is not None and drawing.level == TOP


@pytest.mark.parametrize("totals", [{1: total(1000)}, {1: total(0), 3: total(0)}])
def test_without_a_line_there_is_no_drawing(totals: dict[int, Figure]) -> None:
    assert draw(totals, None, unit="1/s") is None
