"""What every kind of record in results.json gives to metrics.prom."""

from __future__ import annotations

from acceptance.report.prometheus import failures, loads, operations
from acceptance.report.prometheus.gauges import Gauge, Samples
from acceptance.results.document import Results, SustainedRecord

GAUGES: dict[str, tuple[Gauge, ...]] = {
    "scaling": loads.SCALING,
    "control_plane": operations.RAMPS,
    "rebuilds": failures.REBUILDS,
    "failovers": failures.MOVES,
    "durability": failures.CRASHES,
    "postgresql": failures.POSTGRESQL,
    "storage_pods": failures.STORAGE_PODS,
    "sustained": loads.SUSTAINED,
    "under_load": loads.UNDER_LOAD,
    "many_files": loads.MANY_FILES,
    "prices": loads.PRICES,
    "capabilities": operations.CAPABILITIES,
    "neighbours": loads.NEIGHBOURS,
    "many_snapshots": operations.MANY_SNAPSHOTS,
    "operations": operations.OPERATIONS,
    "snapshots": operations.SNAPSHOTS,
    "full_volumes": operations.FULL_VOLUMES,
    "trends": operations.TRENDS,
    "imports": operations.IMPORTS,
    "pools": operations.POOLS,
}
"""by the list in results.json: what each of its records is read for"""


def add_records(samples: Samples, results: Results, candidate: str) -> None:
    """What all records say of the candidate, and of no class at all, as far as the run came to it."""
    for name, gauges in GAUGES.items():
        for record in getattr(results, name):
            about = record.load if isinstance(record, SustainedRecord) else record
            if getattr(about, "storage_class", candidate) == candidate:
                for gauge in gauges:
                    samples.read(gauge, record)
