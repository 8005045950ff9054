"""What volumes can do, for the report: one row a class and capability. Nothing is judged here."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.results.document import Results, Status
from acceptance.results.features import TITLES, CapabilityStatus

_SHOWN: dict[CapabilityStatus, tuple[Status, str]] = {
    "seen": ("pass", "seen"),
    "missing": ("skipped", "missing"),
    "failed": ("fail", "failed"),
    "not_tried": ("inconclusive", "not known"),
}


@dataclass(frozen=True, kw_only=True)
class CapabilityRow:
    """One capability of one class. `status` gives its colour, `word` is what is shown."""

    storage_class: str
    title: str
    status: Status
    word: str
    how: str


def capability_rows(results: Results) -> list[CapabilityRow]:
    """A row for each record, in the order in which they were tried."""
    return [
        CapabilityRow(
            storage_class=each.storage_class,
            title=TITLES[each.capability],
            status=_SHOWN[each.status][0],
            word=_SHOWN[each.status][1],
            how=each.how,
        )
        for each in results.capabilities
    ]
