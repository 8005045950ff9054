"""The capabilities of volumes, for the report: a row for each class and capability. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, words
from acceptance.results.document import Results, Status
from acceptance.results.features import CapabilityRecord, CapabilityStatus
from acceptance.results.file_operations import FILE_OPERATIONS, OperationOutcome, OperationRecord

_MARKS: dict[CapabilityStatus, tuple[Status, str]] = {
    "seen": ("pass", "seen"),
    "missing": ("skipped", "missing"),
    "failed": ("fail", "failed"),
    "not_tried": ("inconclusive", "not known"),
}
_OUTCOMES: dict[OperationOutcome, Status] = {"works": "pass", "lacks": "skipped", "fails": "fail"}


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
        if records := [record for record in results.capabilities if record.operations]:
            yield _operations_part(records)


def _operations_part(records: Sequence[CapabilityRecord]) -> Part:
    """Return a table with a row for each operation on files, and a column for each class."""
    outcomes = [{operation.operation: operation for operation in record.operations} for record in records]
    table = Table(
        label="Operations on files",
        columns=words("Operation", *(record.storage_class for record in records), "The test"),
        rows=[
            (operation, *(_cell(known.get(operation)) for known in outcomes), description)
            for operation, description in FILE_OPERATIONS.items()
        ],
    )
    return Part(title="Operations on files", blocks=[table])


def _cell(record: OperationRecord | None) -> str:
    if record is None:
        return mark("inconclusive", "not known")
    return mark(_OUTCOMES[record.outcome], record.outcome, record.problem or "")


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
