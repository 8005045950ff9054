"""What every kind of record in results.json gives to metrics.prom."""

from __future__ import annotations

from acceptance.report.gauges import Samples
from acceptance.report.record_modules import GAUGES
from acceptance.results.document import Results, SustainedRecord


def add_records(samples: Samples, results: Results, candidate: str) -> None:
    """What all records say of the candidate, and of no class at all, as far as the run came to it."""
    for name, gauges in GAUGES.items():
        for record in getattr(results, name):
            about = record.load if isinstance(record, SustainedRecord) else record
            if getattr(about, "storage_class", candidate) == candidate:
                for gauge in gauges:
                    samples.read(gauge, record)
