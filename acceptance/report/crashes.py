"""Crashes and failovers for the report: what was lost, and where the time went. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.document import Results
from acceptance.wording.crashes import TITLES
from acceptance.wording.records import ranges_in_words, shown_time

_MOVES: dict[Failure, str] = {
    "failover": "Failover",
    "failover-out-of-service": "Failover by the out-of-service taint",
    "drained": "Drain",
    "kubelet-away": "Deletion while its kubelet was away",
}


@dataclass(frozen=True, kw_only=True)
class CrashRow:
    """One crash, as it is shown."""

    storage_class: str
    what: str
    where: str
    acknowledged: str
    lost: str
    failed: bool


@dataclass(frozen=True, kw_only=True)
class FailoverTable:
    """One failover or drain, phase by phase: name, seconds, share of the bar."""

    what: str
    storage_class: str
    nodes: str
    total: str
    phases: Sequence[tuple[str, str, float]]
    stayed: str


def crash_rows(results: Results) -> list[CrashRow]:
    """One row for each crash, in the order in which they happened."""
    return [_row(record) for record in results.durability]


def failover_tables(results: Results) -> list[FailoverTable]:
    """One table for each failover and each drain."""
    return [_table(record) for record in results.failovers]


def _row(record: DurabilityRecord) -> CrashRow:
    moved = "" if record.node == record.read_on else f", read on {record.read_on}"
    return CrashRow(
        storage_class=record.storage_class,
        what=f"{TITLES[record.failure]} ({record.what})",
        where=f"{record.node}{moved}",
        acknowledged=f"{record.acknowledged:,} in {shown_time(record.write_s)}",
        lost=f"{record.lost_count:,}: {ranges_in_words(record.lost)}" if record.lost else "none",
        failed=bool(record.lost),
    )


def _table(record: FailoverRecord) -> FailoverTable:
    return FailoverTable(
        what=_MOVES[record.failure],
        storage_class=record.storage_class,
        nodes=f"{record.failed_node} to {record.node}",
        total=shown_time(record.seconds),
        phases=[
            (phase.name, shown_time(phase.seconds), 100 * phase.seconds / record.seconds if record.seconds else 0.0)
            for phase in record.phases
        ],
        stayed=", ".join(record.stayed or ()),
    )
