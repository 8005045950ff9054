"""Full volumes, for the report: a row for each requirement on one. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, words
from acceptance.results.document import Results, Status
from acceptance.results.filling import TITLES, Finding, FullVolumeRecord

_MARKS: dict[str, tuple[Status, str]] = {
    "held": ("pass", "held"),
    "failed": ("fail", "failed"),
    "not_tried": ("skipped", "not tried"),
}


@in_chapter("durability", place=3)
def full_volume_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each finding, class by class."""
    rows = [
        (name(record.storage_class), TITLES[finding.aspect], mark(*_MARKS[finding.status]), finding.how)
        for record in results.full_volumes
        for finding in record.findings
    ]
    if rows:
        yield Part(
            title="Volumes that were filled completely",
            blocks=[
                "The suite wrote files of random bytes, each durable and with a checksum, until a write failed. It "
                "used another volume of the class before that and after it.",
                Table(
                    label="Full volumes",
                    columns=words("StorageClass", "Requirement", "Result", "Observation"),
                    rows=rows,
                ),
            ],
        )


def _aspects(record: FullVolumeRecord) -> LabeledValues:
    for finding in record.findings:
        for status in get_args(Finding.model_fields["status"].annotation):
            yield float(finding.status == status), {"aspect": finding.aspect, "status": status}


declare_gauges(
    "full_volumes",
    Gauge(
        name="full_volume",
        help="1 for the status of this requirement on a full volume; 0 for the other statuses",
        labels=("aspect", "status"),
        samples=_aspects,
    ),
    Gauge(
        name="full_volume_written_bytes",
        help="durable bytes on a volume when a write failed for lack of space",
        samples=lambda record: iter([(record.written, {})]),
    ),
)
