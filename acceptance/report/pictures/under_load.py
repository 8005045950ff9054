"""Latency by the requested share of a volume's capacity: flat at first, and steep after the knee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import LIMIT, Look, Point, key
from acceptance.report.pictures.scales import log_axis
from acceptance.results.under_load import UnderLoadRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {
    "p50": Look(colour=COLOURS["candidate"], dashes="-", marker="o"),
    "p99": Look(colour=COLOURS["baseline"], dashes=DASHES, marker="s"),
    "p99.9": Look(colour=COLOURS["ink"], dashes=DOTS, marker="^"),
}
LEAST_APART = 0.08
"""Minimum distance between two numbers at the axis, as a share of the capacity."""


@drawn_once
def latency_by_share(record: UnderLoadRecord, *, limits: Mapping[str, float]) -> Picture | None:
    """Return the percentiles at each share, and last at the capacity itself; the y axis is logarithmic.

    `limits` in s, by metric. None if there are fewer than two points.
    """
    lines = dict(_lines(record))
    values = [value for points in lines.values() for _, value in points]
    if max((len(points) for points in lines.values()), default=0) < 2:
        return None
    bounds = sorted(set(limits.values()))

    def paint(axes: Axes) -> None:
        drawn_values = [*values, *bounds]
        log_axis(axes, smallest=min(drawn_values), largest=max(drawn_values), unit="s")
        shares = sorted({share for points in lines.values() for share, _ in points})
        axes.set_xlim(0.0, 1.06)
        ticks = _apart(shares)
        axes.set_xticks(ticks, [f"{tick * 100:.4g}" for tick in ticks])
        axes.set_xlabel("% of the capacity")
        for name, points in lines.items():
            axes.plot([share for share, _ in points], [value for _, value in points], **LOOKS[name].of(len(points)))
        for bound in bounds:
            axes.axhline(bound, color=LIMIT.colour, linestyle=LIMIT.dashes)
        key(axes, {name: LOOKS[name] for name in lines} | ({"limit": LIMIT} if bounds else {}))

    about = f"{record.profile} on {record.storage_class}"
    return Picture(
        svg=draw(paint, label=f"Latency by the share of the capacity, {about}", left_px=76),
        caption=f"{record.profile}: latency by the share of the capacity, the y scale logarithmic; at 100 % without a "
        "rate limit, at the profile's own depth.",
        text=" ".join(_in_words(name, points) for name, points in lines.items()),
    )


def _lines(record: UnderLoadRecord) -> Iterator[tuple[str, list[Point]]]:
    """Yield the known points of each percentile; a logarithmic scale has no zero."""
    direction = record.metric.partition(".")[0]
    at = [(share_record.share, share_record.latencies) for share_record in record.shares] + [(1.0, record.at_capacity)]
    for name in LOOKS:
        path = f"{direction}.latency.{name}"
        points = [
            (share, latencies[path].mean) for share, latencies in at if path in latencies and latencies[path].mean > 0.0
        ]
        if points:
            yield name, points


def _in_words(name: str, points: list[Point]) -> str:
    return f"{name}: " + ", ".join(f"{format_quantity(s, unit='s')} at {_at(share)}" for share, s in points) + "."


def _apart(shares: list[float]) -> list[float]:
    """Return the shares at the axis: far enough apart to be read, the highest in any case."""
    ticks = shares[-1:]
    for share in reversed(shares[:-1]):
        if ticks[0] - share >= LEAST_APART:
            ticks.insert(0, share)
    return ticks


def _at(share: float) -> str:
    return f"{share * 100:.4g} %"
