"""What rebuilds, crashes, failovers and drains showed."""

from __future__ import annotations

from acceptance.judging.rebuild_size import is_timed
from acceptance.report.prometheus.gauges import Found, Gauge
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.disruptions import StoragePodsRecord
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.results.rebuilds import RebuildRecord


def _largest(record: RebuildRecord) -> Found:
    if is_timed(record):
        yield record.largest_volume, {"data": record.pattern}


def _foreground(record: RebuildRecord) -> Found:
    if record.foreground is not None:
        yield record.foreground.iops_before, {"data": record.pattern, "when": "before"}
        yield record.foreground.iops_during, {"data": record.pattern, "when": "during"}


def _records(record: DurabilityRecord | PostgresqlRecord) -> Found:
    failure = record.failure if isinstance(record, DurabilityRecord) else "postgresql-killed"
    yield record.acknowledged, {"failure": failure, "state": "acknowledged"}
    yield record.lost_count, {"failure": failure, "state": "lost"}


def _commits(record: PostgresqlRecord) -> Found:
    yield record.commit_p50_s, {"statistic": "p50"}
    yield record.commit_p99_s, {"statistic": "p99"}


def _killed(record: StoragePodsRecord) -> Found:
    for what in ("ready", "gap", "new_volume"):
        times = [getattr(kill, f"{what}_s") for kill in record.kills]
        if times and None not in times:
            yield max(times), {"pods": record.selector, "what": what}


def _moves(failure: Failure, name: str, help: str, phases: str) -> tuple[Gauge, Gauge]:
    def total(record: FailoverRecord) -> Found:
        if record.failure == failure:
            yield record.seconds, {}

    def parts(record: FailoverRecord) -> Found:
        if record.failure == failure:
            yield from ((phase.seconds, {"phase": phase.name}) for phase in record.phases)

    return (
        Gauge(name=f"{name}_seconds", help=help, samples=total),
        Gauge(
            name=f"{name}_phase_seconds", help=f"duration of each phase of {phases}", labels=("phase",), samples=parts
        ),
    )


REBUILDS = (
    Gauge(
        name="rebuild_seconds",
        help="mean duration of the rebuild of a replica",
        labels=("data",),
        samples=lambda record: iter([(record.seconds, {"data": record.pattern})]),
    ),
    Gauge(
        name="rebuild_largest_volume_bytes",
        help="largest volume that the storage would rebuild within the time limit",
        labels=("data", "bound"),
        samples=_largest,
    ),
    Gauge(
        name="rebuild_foreground_iops",
        help="synchronous write IOPS before and during a rebuild",
        labels=("data", "when", "bound"),
        samples=_foreground,
    ),
)
MOVES = (
    *_moves(
        "failover",
        "failover",
        "from the last durable write on the failed node to the first on another node",
        "a failover",
    ),
    *_moves(
        "failover-out-of-service",
        "failover_out_of_service",
        "as failover_seconds, of a node that was tainted as out of service",
        "such a failover",
    ),
    *_moves(
        "drained", "drain", "from the last durable write of an evicted pod to the first on another node", "a drain"
    ),
    *_moves(
        "kubelet-away",
        "kubelet_away",
        "from the last durable write of a pod that was deleted while its kubelet was away to the first on another node",
        "such a move",
    ),
)
CRASHES = (
    Gauge(
        name="durability_records",
        help="number of records acknowledged before a crash, and of those that were lost",
        labels=("failure", "state"),
        samples=_records,
    ),
)
POSTGRESQL = (
    *CRASHES,
    Gauge(
        name="postgresql_recovery_seconds",
        help="from the start of a PostgreSQL that was killed until it took connections again",
        samples=lambda record: iter([(record.recovered_s, {})]),
    ),
    Gauge(
        name="postgresql_transactions_per_second",
        help="transactions of pgbench a second before PostgreSQL was killed",
        samples=lambda record: iter([(record.transactions, {})]),
    ),
    Gauge(
        name="postgresql_commit_seconds",
        help="duration of single commits meanwhile",
        labels=("statistic",),
        samples=_commits,
    ),
)
STORAGE_PODS = (
    Gauge(
        name="killed_storage_pods_seconds",
        help="longest time after a pod of the storage was killed, by what: until another was Ready, without a durable "
        "write, until a new volume was usable",
        labels=("pods", "what"),
        samples=_killed,
    ),
)
