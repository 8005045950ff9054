"""Snapshots of volumes in use, and many of one volume, for the report: a row for each. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, above, mark, name, numbers, words
from acceptance.results.document import Results
from acceptance.results.ratio_words import share
from acceptance.results.snapshots import ManySnapshotsRecord, SnapshotRecord, Stage
from acceptance.text.quantities import format_quantity
from acceptance.wording.records import ranges_in_words, shown_time


@in_chapter("durability", place=1)
def snapshot_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each record, in the order in which the snapshots were taken."""
    if results.snapshots:
        yield Part(
            title="Content of snapshots of volumes in use",
            blocks=[
                "A pod wrote numbered records to several files of a volume, or alternately to files of several "
                "volumes, and made each record durable before the next. Meanwhile the suite took a snapshot, or one "
                "group snapshot of all volumes. Missing: acknowledged before the request for the snapshot, or earlier "
                "than a record in the snapshot. The other columns show records a second, and the longest pause "
                "between two records; they are not judged.",
                Table(
                    label="Snapshots of volumes in use",
                    columns=(
                        *words("StorageClass", "Snapshot class"),
                        *numbers("Volumes", "Acknowledged before", "Intact in the snapshot"),
                        *words("Missing"),
                        *numbers("Before", "While taken", "While restored", "While deleted"),
                    ),
                    rows=[_row(record) for record in results.snapshots],
                    narrow=True,
                ),
            ],
        )


def _row(record: SnapshotRecord) -> tuple[str, ...]:
    missing = sorted({*record.lost, *record.holes})
    return (
        name(record.storage_class),
        name(record.snapshot_class),
        f"{record.volumes}",
        f"{record.acknowledged:,}",
        f"{record.whole:,}",
        mark("fail", "missing", ranges_in_words(missing)) if missing else "none",
        *(_pace(record, stage) for stage in ("before", "taken", "restored", "deleted")),
    )


def _pace(record: SnapshotRecord, stage: Stage) -> str:
    pace = next((pace for pace in record.paces if pace.stage == stage), None)
    return "no record" if pace is None else f"{pace.rate:,.0f}/s, pause {shown_time(pace.longest_s)}"


@in_chapter("control-plane", place=2)
def many_snapshots_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each pair of volumes, in the order in which they were loaded."""
    if results.many_snapshots:
        figures = numbers("Snapshots", "Each ready after", "Writes with them", "Without", "Ratio", "All deleted after")
        yield Part(
            title="Writes of a volume with many snapshots",
            blocks=[
                "Two volumes of the class on one node were filled and written in the same way. One of them has "
                "snapshots, taken one after the other. Both were then loaded with durable writes in alternating "
                "turns.",
                Table(
                    label="Many snapshots of a volume",
                    columns=(*words("StorageClass", "Snapshot class"), *figures),
                    rows=[_many(record) for record in results.many_snapshots],
                    narrow=True,
                ),
            ],
        )


def _many(record: ManySnapshotsRecord) -> tuple[str, ...]:
    write_ratio, interval = record.left, ""
    if write_ratio is not None and write_ratio.low is not None and write_ratio.high is not None:
        interval = f"{record.confidence * 100:.4g}% CI {share(write_ratio.low)} to {share(write_ratio.high)}"
    return (
        name(record.storage_class),
        name(record.snapshot_class),
        f"{record.count:,}",
        f"{shown_time(median(record.times))} (at most {shown_time(max(record.times))})",
        _rate(record.with_snapshots),
        _rate(record.without),
        above("unknown" if write_ratio is None else share(write_ratio.mean), interval),
        shown_time(record.deleted_s),
    )


def _rate(rate: float | None) -> str:
    return "unknown" if rate is None else format_quantity(rate, unit="1/s")


def _write_ratios(record: ManySnapshotsRecord) -> LabeledValues:
    if record.left is not None:
        yield record.left, {"profile": record.profile, "snapshots": str(record.count)}


declare_gauges(
    "many_snapshots",
    Gauge(
        name="writes_left_with_snapshots_ratio",
        help="writes of a volume with many snapshots, as a ratio of those of a volume without snapshots",
        labels=("profile", "snapshots", "bound"),
        samples=_write_ratios,
    ),
)


def _record_counts(record: SnapshotRecord) -> LabeledValues:
    about = {"snapshot_class": record.snapshot_class, "volumes": str(record.volumes)}
    yield record.acknowledged, about | {"state": "acknowledged"}
    yield record.whole, about | {"state": "whole"}
    for state, ranges in (("lost", record.lost), ("hole", record.holes)):
        yield sum(last - first + 1 for first, last in ranges), about | {"state": state}


def _pauses(record: SnapshotRecord) -> LabeledValues:
    about = {"snapshot_class": record.snapshot_class, "volumes": str(record.volumes)}
    yield from ((pace.longest_s, about | {"stage": pace.stage}) for pace in record.paces)


declare_gauges(
    "snapshots",
    Gauge(
        name="snapshot_records",
        help="records acknowledged before a snapshot of a volume in use: intact in the snapshot, lost, or missing "
        "before a later record",
        labels=("snapshot_class", "volumes", "state"),
        samples=_record_counts,
    ),
    Gauge(
        name="snapshot_longest_pause_seconds",
        help="longest time between two durable records before, while and after a snapshot is taken",
        labels=("snapshot_class", "volumes", "stage"),
        samples=_pauses,
    ),
)
