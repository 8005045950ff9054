"""What loads on many volumes showed, on busy ones, on ones beside others, and on ones of many files."""

from __future__ import annotations

from functools import partial

from acceptance.report.prometheus.gauges import Figure, Found, Gauge
from acceptance.results.document import SustainedRecord
from acceptance.results.many_files import ManyFilesRecord
from acceptance.results.neighbours import NeighboursRecord
from acceptance.results.price import PriceRecord
from acceptance.results.scaling import ScalingRecord
from acceptance.results.under_load import UnderLoadRecord


def _totals(record: ScalingRecord, *, unit: str) -> Found:
    if record.unit == unit:
        for step in record.steps:
            yield step.total, {"profile": record.profile, "volumes": str(step.pods)}


def _capacity(record: ScalingRecord, *, unit: str) -> Found:
    if record.unit == unit and record.capacity is not None:
        yield record.capacity.constant, {"profile": record.profile}


def _end(record: SustainedRecord) -> Found:
    for path, figure in record.load.metrics.items():
        direction, _, statistic = path.partition(".")
        if statistic == "iops":
            yield figure, {"profile": record.load.profile, "direction": direction}


def _at_shares(record: UnderLoadRecord) -> Found:
    for at in record.shares:
        for path, figure in at.latencies.items():
            yield figure, {"profile": record.profile, "share": f"{at.share:g}", "metric": path}


def _full_load(record: UnderLoadRecord) -> Found:
    if record.capacity is not None:
        yield record.capacity, {"profile": record.profile}


def _beside(record: NeighboursRecord) -> Found:
    for pair in record.shares:
        for when, at in (("alone", pair.alone), ("beside", pair.beside)):
            for path, figure in at.latencies.items():
                yield figure, {"profile": record.profile, "share": f"{at.share:g}", "metric": path, "when": when}


def _rates(record: ManyFilesRecord) -> Found:
    for rate in record.rates:
        mean, low, high = (1 / seconds if seconds else None for seconds in (rate.seconds_each, rate.high, rate.low))
        yield Figure(mean, low, high), {"operation": rate.operation}


def _starts(record: ManyFilesRecord) -> Found:
    slowest: dict[tuple[str, int], float] = {}
    for start in record.starts:
        if start.seconds is not None:
            key = start.kind, start.files
            slowest[key] = max(slowest.get(key, 0.0), start.seconds)
    for (kind, files), seconds in slowest.items():
        yield seconds, {"group": kind, "files": str(files)}


def _cpu_per_iops(record: PriceRecord) -> Found:
    if record.cpu_per_1000_iops is not None:
        yield record.cpu_per_1000_iops, {"profile": record.profile}


def _cpu(record: PriceRecord) -> Found:
    for period in record.periods:
        if period.cpu is not None:
            yield period.cpu, {"profile": record.profile, "when": period.name}


def _memory(record: PriceRecord) -> Found:
    for period in record.periods:
        for statistic, size in (("mean", period.memory), ("peak", period.peak)):
            yield size, {"profile": record.profile, "when": period.name, "statistic": statistic}


SCALING = (
    Gauge(
        name="scaling_iops",
        help="IOPS of that number of volumes together",
        labels=("profile", "volumes", "bound"),
        samples=partial(_totals, unit="1/s"),
    ),
    Gauge(
        name="scaling_bandwidth_bytes_per_second",
        help="bandwidth of that number of volumes together",
        labels=("profile", "volumes", "bound"),
        samples=partial(_totals, unit="B/s"),
    ),
    Gauge(
        name="scaling_capacity_iops",
        help="IOPS that all volumes share on saturated storage",
        labels=("profile", "bound"),
        samples=partial(_capacity, unit="1/s"),
    ),
    Gauge(
        name="scaling_capacity_bytes_per_second",
        help="bandwidth that all volumes share on saturated storage",
        labels=("profile", "bound"),
        samples=partial(_capacity, unit="B/s"),
    ),
)
SUSTAINED = (
    Gauge(
        name="sustained_load_seconds",
        help="duration of that load",
        labels=("profile",),
        samples=lambda record: iter([(record.load.duration_s, {"profile": record.load.profile})]),
    ),
    Gauge(
        name="sustained_iops",
        help="IOPS at the end of a load without a pause",
        labels=("profile", "direction", "bound"),
        samples=_end,
    ),
)
UNDER_LOAD = (
    Gauge(
        name="capacity_iops",
        help="IOPS of one volume at the depth of the profile",
        labels=("profile", "bound"),
        samples=_full_load,
    ),
    Gauge(
        name="latency_under_load_seconds",
        help="latency at a share of the capacity of the volume",
        labels=("profile", "share", "metric", "bound"),
        samples=_at_shares,
    ),
)
NEIGHBOURS = (
    Gauge(
        name="latency_beside_neighbours_seconds",
        help="latency at a share of the capacity of the volume, alone and beside volumes at full load",
        labels=("profile", "share", "metric", "when", "bound"),
        samples=_beside,
    ),
)
MANY_FILES = (
    Gauge(
        name="many_files_operations_per_second",
        help="files that one pod creates, lists, looks up or deletes a second on a volume of many",
        labels=("operation", "bound"),
        samples=_rates,
    ),
    Gauge(
        name="many_files_start_seconds",
        help="slowest start of a pod on a volume of that number of files, by its fsGroup",
        labels=("group", "files"),
        samples=_starts,
    ),
)
PRICES = (
    Gauge(
        name="price_cpus_per_1000_iops",
        help="CPU of the pods of the storage for each 1000 IOPS",
        labels=("profile", "bound"),
        samples=_cpu_per_iops,
    ),
    Gauge(
        name="price_cpus",
        help="CPU of the pods of the storage before, during and after the load",
        labels=("profile", "when", "bound"),
        samples=_cpu,
    ),
    Gauge(
        name="price_memory_bytes",
        help="memory of the pods of the storage before, during and after the load",
        labels=("profile", "when", "statistic"),
        samples=_memory,
    ),
)
