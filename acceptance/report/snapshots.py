"""Snapshots of volumes in use, for the report: one row each. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.judging.crashes import ranges_in_words, shown_time
from acceptance.results.document import Results
from acceptance.results.snapshots import SnapshotRecord, Stage


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
