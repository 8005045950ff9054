"""The capabilities of volumes, for the report: a row for each class and capability. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, words
from acceptance.results.document import Results, Status
from acceptance.results.features import CapabilityRecord, CapabilityStatus

_MARKS: dict[CapabilityStatus, tuple[Status, str]] = {
    "seen": ("pass", "seen"),
    "missing": ("skipped", "missing"),
    "failed": ("fail", "failed"),
    "not_tried": ("inconclusive", "not known"),
}


@in_chapter("features")
def capability_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each record, in the order in which they were tried."""
    if results.capabilities:
        from acceptance.trials.features.trying import title_of  # loads all trials of features: other reports need none

        table = Table(
            label="Capabilities",
            columns=words("StorageClass", "Capability", "Result", "Observation"),
            rows=[
                (
                    name(capability.storage_class),
                    title_of(capability.capability),
                    mark(*_MARKS[capability.status]),
                    capability.how,
                )
                for capability in results.capabilities
            ],
        )
        yield Part(blocks=["The table shows only the capabilities that the suite tested.", table])


def _capability(record: CapabilityRecord) -> LabeledValues:
    for status in get_args(CapabilityStatus):
        yield float(record.status == status), {"capability": record.capability, "status": status}


declare_gauges(
    "capabilities",
    Gauge(
        name="capability",
        help="1 for the status of this capability; 0 for the other statuses",
        labels=("capability", "status"),
        samples=_capability,
    ),
)
