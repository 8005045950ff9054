"""Full volumes, for the report: a row for each thing that one must do. Nothing is judged here."""

from __future__ import annotations

from acceptance.report.capabilities import CapabilityRow
from acceptance.results.document import Results, Status
from acceptance.results.filling import TITLES

_SHOWN: dict[str, tuple[Status, str]] = {
    "held": ("pass", "held"),
    "failed": ("fail", "failed"),
    "not_tried": ("skipped", "not tried"),
}


def full_volume_rows(results: Results) -> list[CapabilityRow]:
    """A row for each finding, class by class."""
    return [
        CapabilityRow(
            storage_class=record.storage_class,
            title=TITLES[each.aspect],
            status=_SHOWN[each.status][0],
            word=_SHOWN[each.status][1],
            how=each.how,
        )
        for record in results.full_volumes
        for each in record.findings
    ]
