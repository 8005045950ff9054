"""Sustained loads for the report: all of the load as a picture, and its end in words. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.judging.sustained import missed_credits_s
from acceptance.report.chapters import in_chapter
from acceptance.report.comparison import main_metrics
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, on
from acceptance.report.picture import Picture
from acceptance.report.pictures import in_bytes, rates_over_time
from acceptance.results.bounds import bounds_of
from acceptance.results.document import Results, SustainedRecord
from acceptance.statistics.steady_state import steady_state
from acceptance.text.quantities import format_quantity, format_size
from acceptance.wording.sustained import not_steady, short_form


@in_chapter("sustained")
def sustained_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each load, in the order in which they ran."""
    for record in results.sustained:
        title = on(record.load.profile, record.load.storage_class)
        yield Part(title=title, blocks=[_picture(record, results), list(_sentences(record))])


def _picture(record: SustainedRecord, results: Results) -> Picture | None:
    """Return the picture with the limits on the end of the load; in bytes if the profile is about bandwidth."""
    about = (record.load.storage_class, record.load.profile, "sustained")
    own = [
        verdict for verdict in results.verdicts if (verdict.storage_class, verdict.profile, verdict.subject) == about
    ]
    of_bytes = any(main_metric.endswith(".bandwidth") for main_metric in main_metrics(record.load, own))
    load = in_bytes(record.load) if of_bytes else record.load
    return rates_over_time(load, None, limits=bounds_of(own), judged_s=record.judged_s)


def _sentences(record: SustainedRecord) -> Iterator[str]:
    load_time, judged_time = (format_quantity(float(time), unit="s") for time in (record.asked_s, record.judged_s))
    size = format_size(record.test_size)
    yield f"{load_time} of load without a pause on a test file of {size}; judged: its last {judged_time}."
    rounds = ", ".join(format_quantity(rate, unit="1/s") for rate in record.rounds)
    yield f"Operations a second in the five rounds of the judged part: {rounds}; {_state(record)}."
    credits_s = missed_credits_s(record)
    short = (
        [] if credits_s is None else [short_form(asked_s=record.asked_s, judged_s=record.judged_s, credits_s=credits_s)]
    )
    for sentence in (*record.load.warnings, *short):
        yield sentence[0].upper() + sentence[1:] + "."


def _state(record: SustainedRecord) -> str:
    state = steady_state(record.rounds)
    if state.holds:
        return "steady, as SNIA defines it"
    return not_steady(range=state.range, slope=state.slope, judged_s=record.judged_s)


def _end(record: SustainedRecord) -> LabeledValues:
    for path, figure in record.load.metrics.items():
        direction, _, statistic = path.partition(".")
        if statistic == "iops":
            yield figure, {"profile": record.load.profile, "direction": direction}


declare_gauges(
    "sustained",
    Gauge(
        name="sustained_load_seconds",
        help="duration of a load without a pause",
        labels=("profile",),
        samples=lambda record: iter([(record.load.duration_s, {"profile": record.load.profile})]),
    ),
    Gauge(
        name="sustained_iops",
        help="IOPS at the end of a load without a pause",
        labels=("profile", "direction", "bound"),
        samples=_end,
    ),
)
