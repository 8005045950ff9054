"""Snapshots of volumes in use, and many of one volume, for the report: one row each. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from acceptance.results.document import Results
from acceptance.results.ratio_words import share
from acceptance.results.snapshots import ManySnapshotsRecord, SnapshotRecord, Stage
from acceptance.text.quantities import format_quantity
from acceptance.wording.records import ranges_in_words, shown_time


@dataclass(frozen=True, kw_only=True)
class SnapshotRow:
    """One snapshot, or group of them, as it is shown. `paces`: for each stage records a second, and longest pause."""

    storage_class: str
    snapshot_class: str
    volumes: str
    acknowledged: str
    held: str
    missing: str
    failed: bool
    paces: Sequence[str]


def snapshot_rows(results: Results) -> list[SnapshotRow]:
    """One row for each, in the order in which they were taken."""
    return [_row(record) for record in results.snapshots]


def _row(record: SnapshotRecord) -> SnapshotRow:
    missing = sorted({*record.lost, *record.holes})
    return SnapshotRow(
        storage_class=record.storage_class,
        snapshot_class=record.snapshot_class,
        volumes=f"{record.volumes}",
        acknowledged=f"{record.acknowledged:,}",
        held=f"{record.whole:,}",
        missing=ranges_in_words(missing) if missing else "none",
        failed=bool(missing),
        paces=[_pace(record, stage) for stage in ("before", "taken", "restored", "deleted")],
    )


def _pace(record: SnapshotRecord, stage: Stage) -> str:
    found = next((each for each in record.paces if each.stage == stage), None)
    return "no record" if found is None else f"{found.rate:,.0f}/s, pause {shown_time(found.longest_s)}"


@dataclass(frozen=True, kw_only=True)
class ManySnapshotsRow:
    """A volume with many snapshots beside one without, as they are shown."""

    storage_class: str
    snapshot_class: str
    count: str
    taken: str
    with_snapshots: str
    without: str
    left: str
    interval: str
    deleted: str


def many_snapshots_rows(results: Results) -> list[ManySnapshotsRow]:
    """One row for each pair of volumes, in the order in which they were loaded."""
    return [_many(record) for record in results.many_snapshots]


def _many(record: ManySnapshotsRecord) -> ManySnapshotsRow:
    left, interval = record.left, ""
    if left is not None and left.low is not None and left.high is not None:
        interval = f"{record.confidence * 100:.4g}% CI {share(left.low)} to {share(left.high)}"
    return ManySnapshotsRow(
        storage_class=record.storage_class,
        snapshot_class=record.snapshot_class,
        count=f"{record.count:,}",
        taken=f"{shown_time(median(record.times))} (at most {shown_time(max(record.times))})",
        with_snapshots=_rate(record.with_snapshots),
        without=_rate(record.without),
        left="unknown" if left is None else share(left.mean),
        interval=interval,
        deleted=shown_time(record.deleted_s),
    )


def _rate(rate: float | None) -> str:
    return "unknown" if rate is None else format_quantity(rate, unit="1/s")
