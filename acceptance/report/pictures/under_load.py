"""Latency by the share of the capacity that a volume was asked for: flat at first, and steep after the knee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHED, DOTTED, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import LIMIT, Look, Point, key
from acceptance.report.pictures.scales import log_axis
from acceptance.results.under_load import UnderLoadRecord
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {
    "p50": Look(colour=COLOURS["candidate"], dashes="-", marker="o"),
    "p99": Look(colour=COLOURS["baseline"], dashes=DASHED, marker="s"),
    "p99.9": Look(colour=COLOURS["ink"], dashes=DOTTED, marker="^"),
}
LEAST_APART = 0.08
"""of the capacity, between two numbers at the axis"""


@drawn_once
def latency_by_share(record: UnderLoadRecord, *, limits: Mapping[str, float]) -> Picture | None:
    """Percentiles at each share, and last at the capacity itself; the y axis logarithmic. `limits` in s, by metric.

    None where there are fewer than two points.
    """
    lines = dict(_lines(record))
    values = [value for points in lines.values() for _, value in points]
    if max((len(points) for points in lines.values()), default=0) < 2:
        return None
    bounds = sorted(set(limits.values()))

    def paint(axes: Axes) -> None:
        drawn = [*values, *bounds]
        log_axis(axes, smallest=min(drawn), largest=max(drawn), unit="s")
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
        svg=draw(paint, label=f"Latency by the share of the capacity, {about}", left=76),
        caption=f"{record.profile}: latency by the share of the capacity, the y scale logarithmic; at 100 % without a "
        "rate limit, at the profile's own depth.",
        text=" ".join(_in_words(name, points) for name, points in lines.items()),
    )


def _lines(record: UnderLoadRecord) -> Iterator[tuple[str, list[Point]]]:
    """Of each percentile what is known; a logarithmic scale has no zero."""
    direction = record.metric.partition(".")[0]
    at = [(each.share, each.latencies) for each in record.shares] + [(1.0, record.at_capacity)]
    for name in LOOKS:
        path = f"{direction}.latency.{name}"
        points = [(share, found[path].mean) for share, found in at if path in found and found[path].mean > 0.0]
        if points:
            yield name, points


def _in_words(name: str, points: list[Point]) -> str:
    return f"{name}: " + ", ".join(f"{format_quantity(s, unit='s')} at {_at(share)}" for share, s in points) + "."


def _apart(shares: list[float]) -> list[float]:
    """Those at the axis: far enough apart to be read, the highest in any case."""
    kept = shares[-1:]
    for share in reversed(shares[:-1]):
        if kept[0] - share >= LEAST_APART:
            kept.insert(0, share)
    return kept


def _at(share: float) -> str:
    return f"{share * 100:.4g} %"
