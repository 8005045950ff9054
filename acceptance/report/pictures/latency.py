"""Latency by percentile, candidate next to baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import BASELINE, CANDIDATE, LIMIT, NO_LIMITS, Look, key
from acceptance.report.pictures.scales import log_axis
from acceptance.results.bounds import Bound
from acceptance.results.document import LatencyPoint, Measurement
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)
"""Percentiles at the axis and in the words."""

Line = tuple[str, Sequence[LatencyPoint], Look]


FAR_AWAY = 30.0
"""A limit this many times beyond all values is only named below: in the picture it would flatten the curves."""


@drawn_once
def latency_curve(
    candidate: Measurement, baseline: Measurement | None, *, limits: Mapping[str, tuple[Bound, ...]] = NO_LIMITS
) -> Picture | None:
    """Return latency at each percentile that the operations support.

    Both axes are logarithmic, the x axis in the distance of the percentile from 100 %. The curve is of fdatasync if
    there is any, because then the write before it only fills a cache; otherwise of the direction with most operations.
    `limits`, by metric: those on a percentile are marked there. None if fewer than two percentiles are known of the
    candidate.
    """
    direction = _direction(candidate)
    if direction is None:
        return None
    lines: list[Line] = [(candidate.storage_class, _drawable(candidate, direction), CANDIDATE)]
    if baseline is not None and len(_drawable(baseline, direction)) > 1:
        lines.append((baseline.storage_class, _drawable(baseline, direction), BASELINE))

    seconds = [point.seconds for _, points, _ in lines for point in points]
    furthest = max(point.percentile for _, points, _ in lines for point in points)
    bounds = list(_of_percentiles(direction, limits))
    near = [
        (percentile, limit)
        for percentile, limit in bounds
        if min(seconds) / FAR_AWAY <= limit.value <= max(seconds) * FAR_AWAY and percentile <= max(furthest, 90.0)
    ]

    def paint(axes: Axes) -> None:
        values = seconds + [limit.value for _, limit in near]
        log_axis(axes, smallest=min(values), largest=max(values), unit="s")
        percentiles = [percentile for percentile in PERCENTILES if percentile <= furthest]
        axes.set_xlim(0.0, max(_across(furthest), _across(90.0)) + 0.12)
        axes.set_xticks(
            [_across(percentile) for percentile in percentiles], [f"{percentile:g} %" for percentile in percentiles]
        )
        axes.set_xlabel("of operations took no longer")
        for _, points, look in lines:
            axes.plot(
                [_across(point.percentile) for point in points],
                [point.seconds for point in points],
                **look.of(len(points)),
            )
        for percentile, limit in near:
            place = _across(percentile)
            axes.plot([place - 0.2, place + 0.2], [limit.value] * 2, color=LIMIT.colour, linewidth=2.4)
        key(axes, {name: look for name, _, look in lines} | ({"limit": LIMIT} if near else {}))

    kind = "fdatasync" if direction == "sync" else direction
    names = " and ".join(name for name, _, _ in lines)
    return Picture(
        svg=draw(paint, label=f"{kind.capitalize()} latency by percentile, {candidate.profile} on {names}", left_px=76),
        caption=f"{candidate.profile}: {kind} latency by percentile, logarithmic scales; shown up to the last "
        "percentile that at least 10 operations reached or exceeded.",
        text=" ".join(
            [
                *(_in_words(name, points) for name, points, _ in lines),
                *(_limit_in_words(limit, near) for limit in bounds),
            ]
        ),
    )


def _of_percentiles(direction: str, limits: Mapping[str, tuple[Bound, ...]]) -> Iterator[tuple[float, Bound]]:
    """Yield the limits on percentiles of that direction."""
    for path, bounds in limits.items():
        with suppress(ValueError):
            metric = Metric.parse(path)
            if metric.direction == direction and metric.percentile is not None:
                yield from ((metric.percentile, bound) for bound in bounds)


def _limit_in_words(limit: tuple[float, Bound], near: Sequence[tuple[float, Bound]]) -> str:
    percentile, bound = limit
    return f"Limit at {percentile:g} %: {bound.words}{'' if limit in near else ', which is outside the chart'}."


def _direction(measurement: Measurement) -> str | None:
    directions = [direction for direction in measurement.distribution if len(_drawable(measurement, direction)) > 1]
    if not directions or "sync" in directions:
        return "sync" if directions else None
    return max(directions, key=lambda direction: sum(measurement.series.get(f"{direction}.iops", ())))


def _drawable(measurement: Measurement, direction: str) -> list[LatencyPoint]:
    """Return the points above zero, because a logarithmic scale has no zero."""
    return [point for point in measurement.distribution.get(direction, ()) if point.seconds > 0]


def _across(percentile: float) -> float:
    """Return the place on the x axis: 90 % at 1, 99 % at 2, 99.9 % at 3."""
    return -math.log10(1 - percentile / 100)


def _in_words(name: str, points: Sequence[LatencyPoint]) -> str:
    texts = [
        f"{point.percentile:g} % within {format_quantity(point.seconds, unit='s')}"
        for point in points
        if point.percentile in PERCENTILES
    ]
    return f"{name}: {', '.join(texts)}." if texts else f"{name}: too few operations for its median."
