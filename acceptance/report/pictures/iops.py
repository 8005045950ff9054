"""Operations in each second of load, candidate beside baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DOTTED, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import BASELINE, CANDIDATE, Look, key, thinned
from acceptance.report.pictures.scales import linear_axis, log_axis
from acceptance.results.document import Estimate, Measurement
from acceptance.text.quantities import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_APART = 8.0
"""Means that are so many times apart are drawn on a log scale: on a linear one the lower would be a line at zero."""
THINNED = 240

Line = tuple[Measurement, Look]


@drawn_once
def iops_over_time(
    candidate: Measurement, baseline: Measurement | None, *, judged_s: int | None = None
) -> Picture | None:
    """Each second's operations with mean and interval, of the direction in which most was done.

    `judged_s`: that mean and interval are of so many seconds at the end, which are marked.
    None where there is no line: fewer than two seconds of load on the candidate, or nothing done.
    """
    path = _busiest(candidate)
    if path is None or len(candidate.series[path]) < 2:
        return None
    lines: list[Line] = [(candidate, CANDIDATE)]
    if baseline is not None and any(baseline.series.get(path, ())):
        lines.append((baseline, BASELINE))
    means = [sum(each.series[path]) / len(each.series[path]) for each, _ in lines]
    log = max(means) > FAR_APART * min(means)

    def paint(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        most = max(_top(each, path) for each, _ in lines)
        floor = 0.0
        if log:
            floor = min(value for each, _ in lines for value in each.series[path] if value > 0)
            log_axis(axes, smallest=floor, largest=most, unit="1/s")
        else:
            linear_axis(axes, "y", largest=most, unit="1/s")
        for measurement, look in lines:
            _paint_line(axes, measurement.series[path], measurement.metrics.get(path), look, floor=floor)
        longest = max(len(each.series[path]) for each, _ in lines)
        if judged_s is not None:
            axes.axvspan(max(longest - judged_s, 0) + 0.5, longest + 0.5, color=COLOURS["band"], linewidth=0.0)
        axes.set_xlim(0.0, longest + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
        axes.set_xlabel("seconds of load")
        key(axes, {each.storage_class: look for each, look in lines})

    names = " and ".join(each.storage_class for each, _ in lines)
    return Picture(
        svg=draw(paint, label=f"{path} of {candidate.profile} over time on {names}"),
        caption=f"{candidate.profile}: {_caption(path, lines, log=log, judged_s=judged_s)}",
        text=" ".join(_in_words(each, path) for each, _ in lines),
    )


def _busiest(measurement: Measurement) -> str | None:
    """The metric of the direction in which most was done; fdatasyncs are no load of their own."""
    done = {path: sum(values) for path, values in measurement.series.items() if not path.startswith("sync.")}
    return max(done, key=done.__getitem__) if any(done.values()) else None


def _top(measurement: Measurement, path: str) -> float:
    estimate = measurement.metrics.get(path)
    return max(*measurement.series[path], (estimate and estimate.high) or 0.0)


def _paint_line(axes: Axes, values: list[float], estimate: Estimate | None, look: Look, *, floor: float) -> None:
    points = thinned([(number + 1.0, max(value, floor)) for number, value in enumerate(values)], most=THINNED)
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        axes.axhspan(max(estimate.low, floor), estimate.high, color=look.colour, alpha=0.14, linewidth=0.0)
    if estimate is not None:
        axes.axhline(max(estimate.mean, floor), color=look.colour, linestyle=DOTTED, linewidth=1.0)
    axes.plot([x for x, _ in points], [y for _, y in points], **look.of(len(points)))


def _caption(path: str, lines: list[Line], *, log: bool, judged_s: int | None) -> str:
    words = [f"{path} in each second of load; dotted: the mean, shaded: its CI."]
    if judged_s is not None:
        words.append(f"Both are of the marked {judged_s} s at the end, which are judged.")
    if len(lines) > 1:
        words.append("The baseline is as it was in turn with the class under test.")
    if log:
        words.append("Log scale.")
        if not all(all(each.series[path]) for each, _ in lines):
            words.append("Seconds in which nothing was done stand at the lower edge.")
    if any(len(each.series[path]) > THINNED for each, _ in lines):
        words.append("Of each stretch the lowest and the highest second are drawn.")
    return " ".join(words)


def _in_words(measurement: Measurement, path: str) -> str:
    values, estimate = measurement.series[path], measurement.metrics.get(path)
    low, high = (format_quantity(each, unit="1/s") for each in (min(values), max(values)))
    mean = format_quantity(estimate.mean if estimate else sum(values) / len(values), unit="1/s")
    edges = ""
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        edges = " ({} to {})".format(*(format_quantity(each, unit="1/s") for each in (estimate.low, estimate.high)))
    return f"{measurement.storage_class}: {mean}{edges}; single seconds from {low} to {high}."
