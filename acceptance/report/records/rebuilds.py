"""Rebuilds for the report: their times, their rates, and the effect on foreground writes. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.judging.rebuild_size import grows_faster, is_timed, project_seconds
from acceptance.judging.rebuilds import times_of
from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.labels import label_of_all
from acceptance.report.parts import Part, Table, numbers, words
from acceptance.report.pictures import foreground_writes, rebuild_progress, rebuild_rate
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Verdict
from acceptance.results.ratio_words import share
from acceptance.results.rebuilds import RebuildRecord, TimedRebuild
from acceptance.results.scaling import Figure
from acceptance.results.verdicts import worst
from acceptance.text.quantities import Unit, format_quantity
from acceptance.wording.rebuilds import arithmetic, projection

_GIB = 1024**3
COMMON_SIZES = (100 * _GIB, 1024 * _GIB, 10 * 1024 * _GIB)
"""Sizes in bytes of volumes in use; the volumes that a test rebuilds are small."""


_INTRODUCTION = (
    "The time runs from when the suite first sees the rebuild until all replicas are complete. Largest volume: the "
    "data that is rebuilt within the time limit, divided by the number of snapshots. With two sizes, it comes from a "
    "straight line through both."
)


@in_chapter("rebuild")
def rebuild_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each class and pattern, in the order in which they were measured."""
    if results.rebuilds:
        yield Part(blocks=[_INTRODUCTION])
    yield from (_part(record, results.verdicts) for record in results.rebuilds)


def _part(record: RebuildRecord, verdicts: Sequence[Verdict]) -> Part:
    about = (record.storage_class, record.pattern)
    own = [verdict for verdict in verdicts if (verdict.storage_class, verdict.profile) == about]
    settings = Part(
        title="Settings of the storage that influence rebuilds",
        is_collapsible=True,
        blocks=[Table(rows=list(record.settings.items()))],
    )
    return Part(
        title=f"{record.pattern} on {record.storage_class}",
        status=worst(own),
        label=label_of_all(own),
        blocks=[
            Table(
                columns=(
                    *numbers("Data"),
                    *words(f"Lost by (driver {record.driver})"),
                    *numbers("Until it began", "Rebuilt in", "Rate"),
                ),
                rows=_rows(record),
            ),
            rebuild_progress(record),
            rebuild_rate(record, limits=list(_needed_rates(record, own))),
            foreground_writes(record, limits=list(_writes_to_keep(record, own))),
            list(_sentences(record)),
            *([settings] if record.settings else []),
        ],
    )


def _needed_rates(record: RebuildRecord, verdicts: Sequence[Verdict]) -> Iterator[Level]:
    """Yield the mean rate at which the volume of the limit, with its snapshots, is rebuilt just in time."""
    for verdict in verdicts:
        if verdict.rule == "largest_volume" and (bound := bound_of(verdict)) is not None:
            rate = bound.value * record.snapshots / record.time_limit_s
            time = format_quantity(record.time_limit_s, unit="s")
            yield Level(value=rate, words=f"{bound.words} in {time}, a mean of {format_quantity(rate, unit='B/s')}")


def _writes_to_keep(record: RebuildRecord, verdicts: Sequence[Verdict]) -> Iterator[Level]:
    """Yield the mean during a rebuild that the limit on the foreground requires, from the mean before it."""
    for verdict in verdicts:
        bound = bound_of(verdict) if verdict.rule == "foreground_iops" else None
        if bound is not None and record.foreground is not None:
            least = bound.value * record.foreground.iops_before.mean
            yield Level(value=least, words=f"{bound.words} of that before, {format_quantity(least, unit='1/s')}")


def _rows(record: RebuildRecord) -> list[tuple[str, ...]]:
    smaller = record.smaller
    before = [] if smaller is None else [_row(rebuild, smaller.size) for rebuild in smaller.rebuilds]
    return [*before, *(_row(rebuild, record.size) for rebuild in record.rebuilds)]


def _row(rebuild: TimedRebuild, size: int) -> tuple[str, ...]:
    rate = format_quantity(size / rebuild.seconds, unit="B/s")
    took, exact, waiting_time = (
        format_quantity(value, unit="s") for value in (rebuild.seconds, rebuild.uncertainty_s, rebuild.waited_s)
    )
    data = format_quantity(size, unit="B")
    return data, rebuild.trigger, waiting_time, f"{took} (to within {exact})", rate


def _sentences(record: RebuildRecord) -> Iterator[str]:
    times_in_words = arithmetic(times_of(record))
    yield f"{times_in_words[0].upper()}{times_in_words[1:]}."
    yield from _projections(record)
    if record.resolution_s:
        old = format_quantity(record.resolution_s, unit="s")
        yield f"The driver's reports may be {old} old: beginning and end may each have been that much earlier."
    if not any(rebuild.rates for rebuild in record.rebuilds):
        yield "The rate over time is not known: the driver reports no progress."
    load = record.foreground
    if load is None:
        yield f"The foreground writes are not known: {record.foreground_missing}."
    else:
        yield _change("Synchronous writes", load.iops_before, load.iops_during, unit="1/s")
        if load.p99_before_s is None or load.p99_during_s is None:
            yield "Their p99 latency is not known: in some part of the load no write was completed."
        else:
            yield _change("Their p99 latency", load.p99_before_s, load.p99_during_s, unit="s")
    yield from (f"Warning: {warning}." for warning in record.warnings)


def _projections(record: RebuildRecord) -> Iterator[str]:
    """Yield the time to rebuild volumes of common sizes, from two sizes; with one size, what remains undecided."""
    if record.smaller is None:
        yield (
            "Only one size was timed, so the time to begin counts as if it grew with the data. A second size "
            "(--storage-rebuild smaller) would separate the two."
        )
    elif texts := [
        projection(size, seconds) for size in COMMON_SIZES if (seconds := project_seconds(record, size)) is not None
    ]:
        yield f"{'; '.join(texts)}{f', with {record.snapshots} snapshots' if record.snapshots > 1 else ''}."
    if grows_faster(record):
        yield "The larger size took more time per byte, so larger volumes may take longer than projected."


def _change(metric: str, before: Figure, during: Figure, *, unit: Unit) -> str:
    was, is_ = (format_quantity(figure.mean, unit=unit) for figure in (before, during))
    change = ""
    if before.mean > 0:
        ratio = during.mean / before.mean
        change = f" ({share(ratio)} of that before)" if unit == "1/s" else f" ({format_quantity(ratio, unit='ratio')})"
    return f"{metric}: {was} before the rebuild, {is_} during it{change}."


def _largest(record: RebuildRecord) -> LabeledValues:
    if is_timed(record):
        yield record.largest_volume, {"data": record.pattern}


def _foreground(record: RebuildRecord) -> LabeledValues:
    if record.foreground is not None:
        yield record.foreground.iops_before, {"data": record.pattern, "when": "before"}
        yield record.foreground.iops_during, {"data": record.pattern, "when": "during"}


declare_gauges(
    "rebuilds",
    Gauge(
        name="rebuild_seconds",
        help="mean duration of the rebuild of a replica",
        labels=("data",),
        samples=lambda record: iter([(record.seconds, {"data": record.pattern})]),
    ),
    Gauge(
        name="rebuild_largest_volume_bytes",
        help="largest volume that the storage would rebuild within the time limit",
        labels=("data", "bound"),
        samples=_largest,
    ),
    Gauge(
        name="rebuild_foreground_iops",
        help="synchronous write IOPS before and during a rebuild",
        labels=("data", "when", "bound"),
        samples=_foreground,
    ),
)
