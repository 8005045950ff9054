"""What a run's records give to metrics.prom, by the name of the metric."""

from __future__ import annotations

from acceptance.report.gauges import Labels, Samples
from acceptance.report.prometheus.records import add_records
from acceptance.results.document import Results


def gauges_of(results: Results, candidate: str = "fast") -> dict[str, dict[Labels, float]]:
    """The values of each gauge by the labels that not all have."""
    samples = Samples({})
    add_records(samples, results, candidate)
    return {gauge.name: values for gauge, values in samples}
