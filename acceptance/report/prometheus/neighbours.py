"""What volumes did alone and beside volumes at full load."""

from __future__ import annotations

from acceptance.report.prometheus.gauges import Gauge, Samples
from acceptance.results.document import Results

BESIDE = Gauge(
    name="latency_beside_neighbours_seconds",
    help="latency at a share of the capacity of the volume, alone and beside volumes at full load",
    unit="seconds",
    labels=("profile", "share", "metric", "when", "bound"),
)


def add_neighbours(samples: Samples, results: Results, candidate: str) -> None:
    """All of it, as far as the run came to it."""
    for record in (each for each in results.neighbours if each.storage_class == candidate):
        for when, at in ((when, getattr(each, when)) for each in record.shares for when in ("alone", "beside")):
            for path, each in at.latencies.items():
                labels = {"profile": record.profile, "share": f"{at.share:g}", "metric": path, "when": when}
                samples.set_bounds(BESIDE, each.mean, low=each.low, high=each.high, **labels)
