"""Operations or bytes in each second of load, candidate next to baseline, and the limit on them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import BASELINE, CANDIDATE, LIMIT, NO_LIMITS, Look, key, thin_out
from acceptance.report.pictures.scales import linear_axis, log_axis
from acceptance.results.bounds import Bound
from acceptance.results.document import Estimate, Measurement
from acceptance.text.quantities import Unit, format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_APART = 8.0
"""Means this many times apart are drawn on a log scale: on a linear one the lower would be a line at zero."""
MOST_POINTS = 240

Line = tuple[Measurement, Look]


@drawn_once
def rates_over_time(
    candidate: Measurement,
    baseline: Measurement | None,
    *,
    limits: Mapping[str, tuple[Bound, ...]] = NO_LIMITS,
    judged_s: int | None = None,
) -> Picture | None:
    """Return the rate in each second with mean and interval, in the direction with most operations.

    `limits`, by metric: those on the drawn metric are in the picture, or only named below it if they are so far away
    that they would flatten the lines. `judged_s`: mean and interval are of that many seconds at the end, which are
    marked.
    None if there is no line: fewer than two seconds of load on the candidate, or no operations.
    """
    path = _busiest(candidate)
    if path is None or len(candidate.series[path]) < 2:
        return None
    lines: list[Line] = [(candidate, CANDIDATE)]
    if baseline is not None and any(baseline.series.get(path, ())):
        lines.append((baseline, BASELINE))
    means = [sum(measurement.series[path]) / len(measurement.series[path]) for measurement, _ in lines]
    bounds = limits.get(path, ())
    near = [bound for bound in bounds if min(means) / FAR_APART <= bound.value <= max(means) * FAR_APART]
    levels = [*means, *(bound.value for bound in near)]
    log = max(levels) > FAR_APART * min(levels)

    def paint(axes: Axes) -> None:
        floor = _scale(axes, path, lines, near, log=log)
        for measurement, look in lines:
            _paint_line(axes, measurement.series[path], measurement.metrics.get(path), look, floor=floor)
        for end_s in _visit_ends(candidate):
            axes.axvline(end_s + 0.5, color=COLOURS["axis"], linewidth=0.8)
        for bound in near:
            axes.axhline(bound.value, color=LIMIT.colour, linestyle=LIMIT.dashes, linewidth=1.6)
        _seconds(axes, longest=max(len(measurement.series[path]) for measurement, _ in lines), judged_s=judged_s)
        key(axes, {measurement.storage_class: look for measurement, look in lines} | ({"limit": LIMIT} if near else {}))

    names = " and ".join(measurement.storage_class for measurement, _ in lines)
    return Picture(
        svg=draw(paint, label=f"{path} of {candidate.profile} over time on {names}"),
        caption=f"{candidate.profile}: {_caption(path, lines, log=log, judged_s=judged_s)}",
        text=" ".join(
            [
                *(_in_words(measurement, path) for measurement, _ in lines),
                *(_limit_in_words(bound, near) for bound in bounds),
            ]
        ),
    )


def in_bytes(measurement: Measurement) -> Measurement:
    """Return the measurement with bytes in each second in place of operations.

    All operations have the same size in loads with one block size, such as profiles about bandwidth.
    """
    series: dict[str, list[float]] = {}
    for path, values in measurement.series.items():
        rate, bandwidth = (measurement.metrics.get(path.replace("iops", metric)) for metric in ("iops", "bandwidth"))
        if rate is not None and bandwidth is not None and rate.mean > 0:
            series[path.replace("iops", "bandwidth")] = [value * bandwidth.mean / rate.mean for value in values]
    return measurement.model_copy(update={"series": series})


def _scale(axes: Axes, path: str, lines: list[Line], near: list[Bound], *, log: bool) -> float:
    """Set the y axis; return its smallest value, at which smaller values are drawn."""
    limits, unit = [bound.value for bound in near], _unit(path)
    most = max([*(_top(measurement, path) for measurement, _ in lines), *limits])
    if not log:
        linear_axis(axes, "y", largest=most, unit=unit)
        return 0.0
    floor = min([value for measurement, _ in lines for value in measurement.series[path] if value > 0] + limits)
    log_axis(axes, smallest=floor, largest=most, unit=unit)
    return floor


def _seconds(axes: Axes, *, longest: int, judged_s: int | None) -> None:
    """Set the x axis, and mark the seconds at its end that are judged."""
    from matplotlib.ticker import MaxNLocator

    if judged_s is not None:
        axes.axvspan(max(longest - judged_s, 0) + 0.5, longest + 0.5, color=COLOURS["band"], linewidth=0.0)
    axes.set_xlim(0.0, longest + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.set_xlabel("seconds of load")


def _unit(path: str) -> Unit:
    return "B/s" if path.endswith(".bandwidth") else "1/s"


def _busiest(measurement: Measurement) -> str | None:
    """Return the metric of the direction with most operations; fdatasyncs are no load of their own."""
    sums = {path: sum(values) for path, values in measurement.series.items() if not path.startswith("sync.")}
    return max(sums, key=sums.__getitem__) if any(sums.values()) else None


def _top(measurement: Measurement, path: str) -> float:
    estimate = measurement.metrics.get(path)
    return max(*measurement.series[path], (estimate and estimate.high) or 0.0)


def _paint_line(axes: Axes, values: list[float], estimate: Estimate | None, look: Look, *, floor: float) -> None:
    points = thin_out([(number + 1.0, max(value, floor)) for number, value in enumerate(values)], most=MOST_POINTS)
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        axes.axhspan(max(estimate.low, floor), estimate.high, color=look.colour, alpha=0.14, linewidth=0.0)
    if estimate is not None:
        axes.axhline(max(estimate.mean, floor), color=look.colour, linestyle=DOTS, linewidth=1.0)
    axes.plot([x for x, _ in points], [y for _, y in points], **look.of(len(points)))


def _visit_ends(measurement: Measurement) -> list[float]:
    """Return the seconds of load at the end of each visit but the last."""
    return list(accumulate(visit.duration_s for visit in measurement.visits[:-1]))


def _caption(path: str, lines: list[Line], *, log: bool, judged_s: int | None) -> str:
    words = [f"{path} in each second of load; dotted: the mean; shaded: its CI."]
    if judged_s is not None:
        words.append(f"Mean and CI are those of the marked {judged_s} s at the end, which are judged.")
    if len(lines) > 1:
        words.append("The baseline and the class under test were loaded in alternating turns.")
    if len(lines[0][0].visits) > 1:
        words.append("Vertical lines separate visits, between which other profiles were loaded.")
    if log:
        words.append("Log scale.")
        if not all(all(measurement.series[path]) for measurement, _ in lines):
            words.append("Seconds without operations are at the lower edge.")
    if any(len(measurement.series[path]) > MOST_POINTS for measurement, _ in lines):
        words.append("Of each stretch, the lowest and the highest second are drawn.")
    return " ".join(words)


def _in_words(measurement: Measurement, path: str) -> str:
    values, estimate, unit = measurement.series[path], measurement.metrics.get(path), _unit(path)
    low, high = (format_quantity(value, unit=unit) for value in (min(values), max(values)))
    mean = format_quantity(estimate.mean if estimate else sum(values) / len(values), unit=unit)
    edges = ""
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        edges = " ({} to {})".format(*(format_quantity(edge, unit=unit) for edge in (estimate.low, estimate.high)))
    return (
        f"{measurement.storage_class}: {mean}{edges}; single seconds from {low} to {high}.{_visits(measurement, path)}"
    )


def _visits(measurement: Measurement, path: str) -> str:
    """Return what each visit showed, with the time at which it began."""
    visits = [
        f"{format_quantity(visit.rates[path], unit=_unit(path))} at {visit.started:%H:%M}"
        for visit in measurement.visits
        if path in visit.rates
    ]
    return f" Visits: {', '.join(visits)}." if len(visits) > 1 else ""


def _limit_in_words(limit: Bound, near: list[Bound]) -> str:
    return f"Limit: {limit.words}{'' if limit in near else ', which is outside the chart'}."
