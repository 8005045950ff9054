"""Killed pods of the storage system, for the report: a row for each. Nothing is judged here."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.results.document import Results
from acceptance.wording.records import ranges_in_words, shown_time


@dataclass(frozen=True, kw_only=True)
class KilledPodRow:
    """One pod that was killed, as it is shown; `trouble` is empty where all came back."""

    storage_class: str
    pod: str
    node: str
    ready: str
    gap: str
    new_volume: str
    trouble: str


@dataclass(frozen=True, kw_only=True)
class LostRow:
    """What was lost while the pods of a selector were killed."""

    storage_class: str
    selector: str
    acknowledged: str
    left: str
    lost: str
    failed: bool


def killed_pod_rows(results: Results) -> list[KilledPodRow]:
    """A row for each kill, in their order."""
    return [_row(record.storage_class, kill) for record in results.storage_pods for kill in record.kills]


def lost_rows(results: Results) -> list[LostRow]:
    """A row for each selector."""
    return [_lost(record) for record in results.storage_pods]


def _row(storage_class: str, kill: KilledPod) -> KilledPodRow:
    return KilledPodRow(
        storage_class=storage_class,
        pod=kill.pod,
        node=kill.node,
        ready="never" if kill.ready_s is None else shown_time(kill.ready_s),
        gap=shown_time(kill.gap_s),
        new_volume="not seen" if kill.new_volume_s is None else shown_time(kill.new_volume_s),
        trouble="; ".join(filter(None, (kill.broke, kill.problem))),
    )


def _lost(record: StoragePodsRecord) -> LostRow:
    return LostRow(
        storage_class=record.storage_class,
        selector=record.selector,
        acknowledged=f"{record.acknowledged:,}",
        left=f"{record.left:,}" if record.left else "none",
        lost=record.unread or (f"{record.lost_count:,}: {ranges_in_words(record.lost)}" if record.lost else "none"),
        failed=bool(record.lost or record.unread),
    )
