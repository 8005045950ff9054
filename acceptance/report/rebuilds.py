"""Rebuilds for the report: what was timed, how fast it went, what the foreground noticed. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.quantities import Unit, format_quantity
from acceptance.rebuild.judging import arithmetic
from acceptance.rebuild.records import ForegroundRecord, RebuildRecord, TimedRebuild
from acceptance.report.time_drawing import Point, TimeDrawing, draw_over_time
from acceptance.report.verdicts import worst
from acceptance.results import Results, Status, Verdict
from acceptance.scaling.records import Figure


@dataclass(frozen=True, kw_only=True)
class Row:
    """One rebuild, as it is shown."""

    trigger: str
    waited: str
    took: str
    rate: str


@dataclass(frozen=True, kw_only=True)
class RebuildSection:
    """One pattern on one class. `status` is the worst of its verdicts, None where there is none."""

    storage_class: str
    pattern: str
    driver: str
    status: Status | None
    rows: list[Row]
    sentences: list[str]
    rate: TimeDrawing | None
    foreground: TimeDrawing | None
    settings: dict[str, str]


def rebuild_sections(results: Results) -> list[RebuildSection]:
    """One section for each class and pattern, in the order in which they were measured."""
    return [_section(record, results.verdicts) for record in results.rebuilds]


def _section(record: RebuildRecord, verdicts: Sequence[Verdict]) -> RebuildSection:
    about = (record.storage_class, record.pattern)
    load = record.foreground
    return RebuildSection(
        storage_class=record.storage_class,
        pattern=record.pattern,
        driver=record.driver,
        status=worst(each for each in verdicts if (each.storage_class, each.profile) == about),
        rows=[_row(each, record) for each in record.rebuilds],
        sentences=list(_sentences(record)),
        rate=draw_over_time(_rate_points(record.rebuilds[0]), unit="B/s"),
        foreground=None
        if load is None
        else draw_over_time(_load_points(load), unit="1/s", bands=_bands(record.rebuilds)),
        settings=record.settings,
    )


def _row(rebuild: TimedRebuild, record: RebuildRecord) -> Row:
    rate = format_quantity(record.size / rebuild.seconds, unit="B/s")
    took, exact, waited = (
        format_quantity(value, unit="s") for value in (rebuild.seconds, rebuild.exact_to_s, rebuild.waited_s)
    )
    return Row(trigger=rebuild.trigger, waited=waited, took=f"{took} (to within {exact})", rate=rate)


def _rate_points(rebuild: TimedRebuild) -> list[Point]:
    """Each rate from its beginning to its end, so that the line has steps."""
    return [point for each in rebuild.rates for point in ((each.from_s, each.rate), (each.to_s, each.rate))]


def _load_points(load: ForegroundRecord) -> list[Point]:
    return [(each.at_s, each.iops) for each in load.points]


def _bands(rebuilds: Sequence[TimedRebuild]) -> list[tuple[float, float]]:
    """When each rebuild went on, in s since the first was."""
    zero = rebuilds[0].started
    return [((each.started - zero).total_seconds(), (each.finished - zero).total_seconds()) for each in rebuilds]


def _sentences(record: RebuildRecord) -> Iterator[str]:
    told = arithmetic(record)
    yield f"{told[0].upper()}{told[1:]}."
    if not any(each.rates for each in record.rebuilds):
        yield "The rate over time is not known: the driver does not tell progress."
    load = record.foreground
    if load is None:
        yield f"The foreground is not known: {record.foreground_lost}."
    else:
        yield _change("Synchronous writes", load.iops_before, load.iops_during, unit="1/s")
        if load.p99_before_s is None or load.p99_during_s is None:
            yield "Their p99 latency is not known: in some part of it none was completed."
        else:
            yield _change("Their p99 latency", load.p99_before_s, load.p99_during_s, unit="s")
    yield from (f"Warning: {warning}." for warning in record.warnings)


def _change(what: str, before: Figure, during: Figure, *, unit: Unit) -> str:
    was, is_ = (format_quantity(figure.mean, unit=unit) for figure in (before, during))
    times = f" ({during.mean / before.mean:.2f} times)" if before.mean > 0 else ""
    return f"{what}: {was} before the rebuild, {is_} during it{times}."
