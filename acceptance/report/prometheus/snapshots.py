"""What many snapshots left of a volume's writes."""

from __future__ import annotations

from acceptance.report.prometheus.gauges import Gauge, Samples
from acceptance.results.document import Results

LEFT = Gauge(
    name="writes_left_with_snapshots_ratio",
    help="writes of a volume with many snapshots, as a ratio of those of one without",
    unit="ratio",
    labels=("profile", "snapshots", "bound"),
)


def add_many_snapshots(samples: Samples, results: Results, candidate: str) -> None:
    """All of it, as far as the run came to it."""
    for record in (each for each in results.many_snapshots if each.storage_class == candidate):
        if (left := record.left) is not None:
            labels = {"profile": record.profile, "snapshots": str(record.count)}
            samples.set_bounds(LEFT, left.mean, low=left.low, high=left.high, **labels)
