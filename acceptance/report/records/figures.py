"""Figures of subjects whose records have no form of their own: a part for each record, and one metric for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import JsonValue

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Figure, Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Column, Part, Table, numbers, on, words
from acceptance.results.document import Results
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.results.subjects import SUBJECTS
from acceptance.text.quantities import format_quantity


def figure_parts_of(subject: str) -> Callable[[Results], Iterator[Part]]:
    """Return a function that makes a part of each record of the subject."""
    return lambda results: (_part(record) for record in results.figures if record.subject == subject)


for _subject in SUBJECTS:
    in_chapter(_subject, place=9)(figure_parts_of(_subject))


def _part(record: FiguresRecord) -> Part:
    figures = Table(
        label="Figures",
        columns=(*words("Figure"), *numbers("Value", "Interval")),
        rows=[(figure.metric, *_value_and_interval(figure)) for figure in record.figures],
    )
    title = on(SUBJECTS[record.subject], record.storage_class)
    return Part(title=title, blocks=[[f"{record.done[:1].upper()}{record.done[1:]}."], figures, _rows(record)])


def _value_and_interval(figure: NamedFigure) -> tuple[str, str]:
    if figure.value is None:
        return "not known", figure.unknown
    value = format_quantity(figure.value, unit=figure.unit)
    if figure.low is None or figure.high is None:
        return value, ""
    low, high = (format_quantity(end, unit=figure.unit, beside=figure.value) for end in (figure.low, figure.high))
    return value, f"{low} to {high}"


def _rows(record: FiguresRecord) -> Table | None:
    titles = list(dict.fromkeys(title for row in record.rows for title in row))
    columns = [Column(title=title, number=_is_number(record, title)) for title in titles]
    rows = [[_cell(row.get(title)) for title in titles] for row in record.rows]
    return Table(label="Values behind the figures", columns=columns, rows=rows) if rows else None


def _is_number(record: FiguresRecord, title: str) -> bool:
    return all(isinstance(row.get(title), int | float | None) for row in record.rows)


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def _figures(record: FiguresRecord) -> LabeledValues:
    for figure in record.figures:
        yield (
            Figure(figure.value, figure.low, figure.high),
            {"subject": record.subject, "metric": figure.metric, "unit": figure.unit},
        )


declare_gauges(
    "figures",
    Gauge(
        name="figure",
        help="figure of a subject, in the unit of its label",
        labels=("subject", "metric", "unit", "bound"),
        samples=_figures,
    ),
)
