"""Latency by percentile, candidate beside baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import BASELINE, CANDIDATE, Look, key
from acceptance.report.pictures.scales import log_axis
from acceptance.results.document import LatencyPoint, Measurement
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = (50.0, 90.0, 99.0, 99.9, 99.99)
"""Percentiles that stand at the axis and in the words."""

Line = tuple[str, Sequence[LatencyPoint], Look]


@drawn_once
def latency_curve(candidate: Measurement, baseline: Measurement | None) -> Picture | None:
    """Latency at each percentile that the operations support, both axes logarithmic, the x axis in what is left to 1.

    Of fdatasync where there is any, for then the write before it only fills a cache; else of the direction in which
    most was done. None where fewer than two percentiles are known of the candidate.
    """
    direction = _direction(candidate)
    if direction is None:
        return None
    lines: list[Line] = [(candidate.storage_class, _drawable(candidate, direction), CANDIDATE)]
    if baseline is not None and len(_drawable(baseline, direction)) > 1:
        lines.append((baseline.storage_class, _drawable(baseline, direction), BASELINE))

    def paint(axes: Axes) -> None:
        seconds = [point.seconds for _, points, _ in lines for point in points]
        furthest = max(point.percentile for _, points, _ in lines for point in points)
        log_axis(axes, smallest=min(seconds), largest=max(seconds), unit="s")
        named = [each for each in NAMED if each <= furthest]
        axes.set_xlim(0.0, max(_across(furthest), _across(90.0)) + 0.12)
        axes.set_xticks([_across(each) for each in named], [f"{each:g} %" for each in named])
        axes.set_xlabel("of operations took no longer")
        for _, points, look in lines:
            axes.plot(
                [_across(each.percentile) for each in points],
                [each.seconds for each in points],
                **look.of(len(points)),
            )
        key(axes, {name: look for name, _, look in lines})

    what = "fdatasync" if direction == "sync" else direction
    names = " and ".join(name for name, _, _ in lines)
    return Picture(
        svg=draw(paint, label=f"Latency of {what} by percentile, {candidate.profile} on {names}", left=76),
        caption=f"{candidate.profile}: latency of {what} by percentile, both scales logarithmic; as far as at least "
        "10 operations took longer.",
        text=" ".join(_in_words(name, points) for name, points, _ in lines),
    )


def _direction(measurement: Measurement) -> str | None:
    known = [each for each in measurement.distribution if len(_drawable(measurement, each)) > 1]
    if not known or "sync" in known:
        return "sync" if known else None
    return max(known, key=lambda each: sum(measurement.series.get(f"{each}.iops", ())))


def _drawable(measurement: Measurement, direction: str) -> list[LatencyPoint]:
    """A logarithmic scale has no zero."""
    return [each for each in measurement.distribution.get(direction, ()) if each.seconds > 0]


def _across(percentile: float) -> float:
    """Where it stands: 90 % at 1, 99 % at 2, 99.9 % at 3."""
    return -math.log10(1 - percentile / 100)


def _in_words(name: str, points: Sequence[LatencyPoint]) -> str:
    told = [
        f"{each.percentile:g} % within {format_quantity(each.seconds, unit='s')}"
        for each in points
        if each.percentile in NAMED
    ]
    return f"{name}: {', '.join(told)}." if told else f"{name}: too few operations for its median."
