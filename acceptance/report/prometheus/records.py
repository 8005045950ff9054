"""The metrics in metrics.prom that each kind of record in results.json gives."""

from __future__ import annotations

from acceptance.report.gauges import Samples
from acceptance.report.record_modules import GAUGES
from acceptance.results.document import Results, SustainedRecord


def add_records(samples: Samples, results: Results, candidate: str) -> None:
    """Set the samples of all records on the candidate, and of those without a class, as far as the run got."""
    for name, gauges in GAUGES.items():
        for record in getattr(results, name):
            about = record.load if isinstance(record, SustainedRecord) else record
            if getattr(about, "storage_class", candidate) == candidate:
                for gauge in gauges:
                    samples.read(gauge, record)
