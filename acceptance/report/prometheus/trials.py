"""What many volumes, ramps, rebuilds and failures showed, and what volumes can do."""

from __future__ import annotations

from typing import get_args

from acceptance.judging.rebuild_size import is_timed
from acceptance.report.prometheus.gauges import Gauge, Samples
from acceptance.results.crashes import Failure
from acceptance.results.document import Results
from acceptance.results.features import CapabilityStatus
from acceptance.results.scaling import Figure

SCALING_IOPS = Gauge(
    name="scaling_iops",
    help="IOPS of that number of volumes together",
    labels=("profile", "volumes", "bound"),
)
SCALING_BANDWIDTH = Gauge(
    name="scaling_bandwidth_bytes_per_second",
    help="bandwidth of that number of volumes together",
    unit="bytes_per_second",
    labels=("profile", "volumes", "bound"),
)
CAPACITY_IOPS = Gauge(
    name="scaling_capacity_iops",
    help="IOPS that all volumes share on saturated storage",
    labels=("profile", "bound"),
)
CAPACITY_BANDWIDTH = Gauge(
    name="scaling_capacity_bytes_per_second",
    help="bandwidth that all volumes share on saturated storage",
    unit="bytes_per_second",
    labels=("profile", "bound"),
)
RAMP_PODS = Gauge(
    name="ramp_pods",
    help="pods with a volume each: requested, and running at the end of the ramp-up",
    labels=("state",),
)
RAMP_DOWN = Gauge(
    name="ramp_down_seconds",
    help="from the request that ended the last pod until all volumes were deleted",
    unit="seconds",
)
RAMP_PHASE = Gauge(
    name="ramp_phase_seconds",
    help="from the creation of a pod until it reached the phase, by percentile of the pods",
    unit="seconds",
    labels=("phase", "statistic"),
)
REBUILD = Gauge(
    name="rebuild_seconds", help="mean duration of the rebuild of a replica", unit="seconds", labels=("data",)
)
REBUILD_LARGEST = Gauge(
    name="rebuild_largest_volume_bytes",
    help="largest volume that the storage would rebuild within the time limit",
    unit="bytes",
    labels=("data", "bound"),
)
REBUILD_IOPS = Gauge(
    name="rebuild_foreground_iops",
    help="synchronous write IOPS before and during a rebuild",
    labels=("data", "when", "bound"),
)
FAILOVER = Gauge(
    name="failover_seconds",
    help="from the last durable write on the failed node to the first on another node",
    unit="seconds",
)
DRAIN = Gauge(
    name="drain_seconds",
    help="from the last durable write of an evicted pod to the first on another node",
    unit="seconds",
)
DRAIN_PHASE = Gauge(
    name="drain_phase_seconds", help="duration of each phase of a drain", unit="seconds", labels=("phase",)
)
OUT_OF_SERVICE = Gauge(
    name="failover_out_of_service_seconds",
    help="as failover_seconds, of a node that was tainted as out of service",
    unit="seconds",
)
OUT_OF_SERVICE_PHASE = Gauge(
    name="failover_out_of_service_phase_seconds",
    help="duration of each phase of such a failover",
    unit="seconds",
    labels=("phase",),
)
FAILOVER_PHASE = Gauge(
    name="failover_phase_seconds", help="duration of each phase of a failover", unit="seconds", labels=("phase",)
)
MOVES: dict[Failure, tuple[Gauge, Gauge]] = {
    "failover": (FAILOVER, FAILOVER_PHASE),
    "failover-out-of-service": (OUT_OF_SERVICE, OUT_OF_SERVICE_PHASE),
    "drained": (DRAIN, DRAIN_PHASE),
}
STORAGE_PODS = Gauge(
    name="killed_storage_pods_seconds",
    help="longest time after a pod of the storage was killed, by what: until another was Ready, without a durable "
    "write, until a new volume was usable",
    unit="seconds",
    labels=("pods", "what"),
)
RECORDS = Gauge(
    name="durability_records",
    help="number of records acknowledged before a crash, and of those that were lost",
    labels=("failure", "state"),
)
SUSTAINED_IOPS = Gauge(
    name="sustained_iops",
    help="IOPS at the end of a load without a pause",
    labels=("profile", "direction", "bound"),
)
SUSTAINED_LOAD = Gauge(name="sustained_load_seconds", help="duration of that load", unit="seconds", labels=("profile",))
UNDER_LOAD = Gauge(
    name="latency_under_load_seconds",
    help="latency at a share of the capacity of the volume",
    unit="seconds",
    labels=("profile", "share", "metric", "bound"),
)
UNDER_LOAD_IOPS = Gauge(
    name="capacity_iops",
    help="IOPS of one volume at the depth of the profile",
    labels=("profile", "bound"),
)
MANY_FILES = Gauge(
    name="many_files_operations_per_second",
    help="files that one pod creates, lists, looks up or deletes a second on a volume of many",
    labels=("operation", "bound"),
)
MANY_FILES_START = Gauge(
    name="many_files_start_seconds",
    help="slowest start of a pod on a volume of that number of files, by its fsGroup",
    unit="seconds",
    labels=("group", "files"),
)
PRICE_CPU = Gauge(
    name="price_cpus",
    help="CPU of the pods of the storage before, during and after the load",
    labels=("profile", "when", "bound"),
)
PRICE_CPU_PER_IOPS = Gauge(
    name="price_cpus_per_1000_iops",
    help="CPU of the pods of the storage for each 1000 IOPS",
    labels=("profile", "bound"),
)
PRICE_MEMORY = Gauge(
    name="price_memory_bytes",
    help="memory of the pods of the storage before, during and after the load",
    unit="bytes",
    labels=("profile", "when", "statistic"),
)
CAPABILITY = Gauge(
    name="capability",
    help="1 for the status found for this capability; 0 for the other statuses",
    labels=("capability", "status"),
)


def add_trials(samples: Samples, results: Results, candidate: str) -> None:
    """All of it, as far as the run came to it."""
    _add_scaling(samples, results, candidate)
    _add_ramps(samples, results, candidate)
    _add_rebuilds(samples, results, candidate)
    for failover in results.failovers:
        if failover.storage_class == candidate and failover.failure in MOVES:
            total, part = MOVES[failover.failure]
            samples.set(total, failover.seconds)
            for phase in failover.phases:
                samples.set(part, phase.seconds, phase=phase.name)
    for crash in results.durability:
        if crash.storage_class == candidate:
            samples.set(RECORDS, crash.acknowledged, failure=crash.failure, state="acknowledged")
            samples.set(RECORDS, crash.lost_count, failure=crash.failure, state="lost")
    for database in results.postgresql:
        if database.storage_class == candidate:
            samples.set(RECORDS, database.acknowledged, failure="postgresql-killed", state="acknowledged")
            samples.set(RECORDS, database.lost_count, failure="postgresql-killed", state="lost")
    _add_storage_pods(samples, results, candidate)
    _add_sustained(samples, results, candidate)
    _add_under_load(samples, results, candidate)
    _add_many_files(samples, results, candidate)
    _add_prices(samples, results, candidate)
    for each in results.capabilities:
        if each.storage_class == candidate:
            samples.set_one_of(
                CAPABILITY, "status", each.status, get_args(CapabilityStatus), capability=each.capability
            )


def _add_scaling(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.scaling:
        if record.storage_class != candidate:
            continue
        is_rate = record.unit == "1/s"
        for step in record.steps:
            total = SCALING_IOPS if is_rate else SCALING_BANDWIDTH
            _add_figure(samples, total, step.total, profile=record.profile, volumes=str(step.pods))
        if record.capacity is not None:
            capacity = CAPACITY_IOPS if is_rate else CAPACITY_BANDWIDTH
            _add_figure(samples, capacity, record.capacity.constant, profile=record.profile)


def _add_ramps(samples: Samples, results: Results, candidate: str) -> None:
    for ramp in results.control_plane:
        if ramp.storage_class != candidate:
            continue
        samples.set(RAMP_PODS, ramp.goal, state="asked")
        samples.set(RAMP_PODS, ramp.pods, state="running")
        samples.set(RAMP_DOWN, ramp.ramp_down.cleanup_s)
        for name, times in ramp.phases.items():
            for statistic, seconds in (("p50", times.p50_s), ("p90", times.p90_s), ("p99", times.p99_s)):
                samples.set(RAMP_PHASE, seconds, phase=name, statistic=statistic)


def _add_rebuilds(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.rebuilds:
        if record.storage_class != candidate:
            continue
        samples.set(REBUILD, record.seconds, data=record.pattern)
        if is_timed(record):
            _add_figure(samples, REBUILD_LARGEST, record.largest_volume, data=record.pattern)
        if record.foreground is not None:
            _add_figure(samples, REBUILD_IOPS, record.foreground.iops_before, data=record.pattern, when="before")
            _add_figure(samples, REBUILD_IOPS, record.foreground.iops_during, data=record.pattern, when="during")


def _add_storage_pods(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.storage_pods:
        if record.storage_class != candidate:
            continue
        for what in ("ready", "gap", "new_volume"):
            times = [getattr(kill, f"{what}_s") for kill in record.kills]
            if (known := [each for each in times if each is not None]) == times:
                samples.set(STORAGE_PODS, max(known), pods=record.selector, what=what)


def _add_sustained(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.sustained:
        if record.load.storage_class != candidate:
            continue
        samples.set(SUSTAINED_LOAD, record.load.duration_s, profile=record.load.profile)
        for path, each in record.load.metrics.items():
            direction, _, statistic = path.partition(".")
            if statistic == "iops":
                labels = {"profile": record.load.profile, "direction": direction}
                samples.set_bounds(SUSTAINED_IOPS, each.mean, low=each.low, high=each.high, **labels)


def _add_under_load(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.under_load:
        if record.storage_class != candidate:
            continue
        if (can := record.capacity) is not None:
            samples.set_bounds(UNDER_LOAD_IOPS, can.mean, low=can.low, high=can.high, profile=record.profile)
        for at in record.shares:
            for path, each in at.latencies.items():
                labels = {"profile": record.profile, "share": f"{at.share:g}", "metric": path}
                samples.set_bounds(UNDER_LOAD, each.mean, low=each.low, high=each.high, **labels)


def _add_many_files(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.many_files:
        if record.storage_class != candidate:
            continue
        for each in record.rates:
            mean, low, high = (_inverse(one) for one in (each.seconds_each, each.high, each.low))
            samples.set_bounds(MANY_FILES, mean, low=low, high=high, operation=each.operation)
        slowest: dict[tuple[str, int], float] = {}
        for start in record.starts:
            if start.seconds is not None:
                key = start.kind, start.files
                slowest[key] = max(slowest.get(key, 0.0), start.seconds)
        for (kind, files), seconds in slowest.items():
            samples.set(MANY_FILES_START, seconds, group=kind, files=str(files))


def _inverse(seconds: float | None) -> float | None:
    return 1 / seconds if seconds else None


def _add_prices(samples: Samples, results: Results, candidate: str) -> None:
    for record in results.prices:
        if record.storage_class != candidate:
            continue
        about = {"profile": record.profile}
        if (cpu := record.cpu_per_1000_iops) is not None:
            samples.set_bounds(PRICE_CPU_PER_IOPS, cpu.mean, low=cpu.low, high=cpu.high, **about)
        for each in record.periods:
            if each.cpu is not None:
                span = each.cpu
                samples.set_bounds(PRICE_CPU, span.mean, low=span.low, high=span.high, when=each.name, **about)
            samples.set(PRICE_MEMORY, each.memory, when=each.name, statistic="mean", **about)
            samples.set(PRICE_MEMORY, each.peak, when=each.name, statistic="peak", **about)


def _add_figure(samples: Samples, gauge: Gauge, figure: Figure, **labels: str) -> None:
    samples.set_bounds(gauge, figure.mean, low=figure.low, high=figure.high, **labels)
