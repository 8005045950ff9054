"""The trend of each metric that has a limit on it, from earlier runs. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Figure, Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part
from acceptance.report.pictures import trend
from acceptance.results.document import Results
from acceptance.results.history import TrendRecord


@in_chapter("history")
def trend_parts(results: Results) -> Iterator[Part]:
    """Return a picture of each metric."""
    return (Part(blocks=[trend(record)]) for record in results.trends)


def _level(record: TrendRecord) -> LabeledValues:
    level = Figure(record.typical, record.expected_low, record.expected_high)
    yield level, {"profile": record.profile, "metric": record.metric, "unit": record.unit}


def _runs(record: TrendRecord) -> LabeledValues:
    yield record.compared_with, {"profile": record.profile, "metric": record.metric}


def _change(record: TrendRecord) -> LabeledValues:
    if record.change_point is not None:
        yield record.change_point.change, {"profile": record.profile, "metric": record.metric}


declare_gauges(
    "trends",
    Gauge(
        name="history_level",
        help="level of a metric in earlier runs, in its unit; low and high: range of this run if only noise moves it",
        labels=("profile", "metric", "unit", "bound"),
        samples=_level,
    ),
    Gauge(
        name="history_runs",
        help="number of earlier runs that determine that level",
        labels=("profile", "metric"),
        samples=_runs,
    ),
    Gauge(
        name="history_change_ratio",
        help="new level of a metric divided by the accepted one, less 1; absent if there is no new level",
        labels=("profile", "metric"),
        samples=_change,
    ),
)
