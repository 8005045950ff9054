"""What the control plane did, what volumes and snapshots can do, what there was before and what other tools found."""

from __future__ import annotations

from typing import get_args

from acceptance.report.prometheus.gauges import Figure, Found, Gauge
from acceptance.results.features import CapabilityRecord, CapabilityStatus
from acceptance.results.filling import Finding, FullVolumeRecord
from acceptance.results.history import TrendRecord
from acceptance.results.imports import ImportRecord
from acceptance.results.operations import OperationsRecord
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.snapshots import ManySnapshotsRecord, SnapshotRecord


def _pods(record: ControlPlaneRecord) -> Found:
    yield record.goal, {"state": "asked"}
    yield record.pods, {"state": "running"}


def _phases(record: ControlPlaneRecord) -> Found:
    for name, times in record.phases.items():
        for statistic, seconds in (("p50", times.p50_s), ("p90", times.p90_s), ("p99", times.p99_s)):
            yield seconds, {"phase": name, "statistic": statistic}


def _counts(record: OperationsRecord) -> Found:
    for operation in record.operations:
        yield operation.asked, {"operation": operation.operation, "state": "asked"}
        yield sum(operation.failed.values()), {"operation": operation.operation, "state": "failed"}


def _rates(record: OperationsRecord) -> Found:
    for operation in record.operations:
        yield operation.per_s, {"operation": operation.operation}


def _times(record: OperationsRecord) -> Found:
    for operation in record.operations:
        for name, time in operation.percentiles.items():
            yield Figure(time.seconds, time.low, time.high), {"operation": operation.operation, "statistic": name}


def _left(record: ManySnapshotsRecord) -> Found:
    if record.left is not None:
        yield record.left, {"profile": record.profile, "snapshots": str(record.count)}


def _held(record: SnapshotRecord) -> Found:
    about = {"snapshot_class": record.snapshot_class, "volumes": str(record.volumes)}
    yield record.acknowledged, about | {"state": "acknowledged"}
    yield record.whole, about | {"state": "whole"}
    for state, ranges in (("lost", record.lost), ("hole", record.holes)):
        yield sum(last - first + 1 for first, last in ranges), about | {"state": state}


def _pauses(record: SnapshotRecord) -> Found:
    about = {"snapshot_class": record.snapshot_class, "volumes": str(record.volumes)}
    yield from ((pace.longest_s, about | {"stage": pace.stage}) for pace in record.paces)


def _aspects(record: FullVolumeRecord) -> Found:
    for finding in record.findings:
        for status in get_args(Finding.model_fields["status"].annotation):
            yield float(finding.status == status), {"aspect": finding.aspect, "status": status}


def _capability(record: CapabilityRecord) -> Found:
    for status in get_args(CapabilityStatus):
        yield float(record.status == status), {"capability": record.capability, "status": status}


def _level(record: TrendRecord) -> Found:
    level = Figure(record.typical, record.expected_low, record.expected_high)
    yield level, {"profile": record.profile, "metric": record.metric, "unit": record.unit}


def _runs(record: TrendRecord) -> Found:
    yield record.compared_with, {"profile": record.profile, "metric": record.metric}


def _change(record: TrendRecord) -> Found:
    if record.change_point is not None:
        yield record.change_point.change, {"profile": record.profile, "metric": record.metric}


def _imported(record: ImportRecord) -> Found:
    for status, count in (("passed", record.passed), ("failed", record.failed), ("skipped", record.skipped)):
        yield count, {"import": record.name, "tool": record.tool, "status": status}


RAMPS = (
    Gauge(
        name="ramp_pods",
        help="pods with a volume each: requested, and running at the end of the ramp-up",
        labels=("state",),
        samples=_pods,
    ),
    Gauge(
        name="ramp_down_seconds",
        help="from the request that ended the last pod until all volumes were deleted",
        samples=lambda record: iter([(record.ramp_down.cleanup_s, {})]),
    ),
    Gauge(
        name="ramp_phase_seconds",
        help="from the creation of a pod until it reached the phase, by percentile of the pods",
        labels=("phase", "statistic"),
        samples=_phases,
    ),
)
OPERATIONS = (
    Gauge(
        name="control_operations",
        help="number of control operations that were requested, and of those that failed",
        labels=("operation", "state"),
        samples=_counts,
    ),
    Gauge(
        name="control_operations_per_second",
        help="control operations done a second, many at once",
        labels=("operation",),
        samples=_rates,
    ),
    Gauge(
        name="control_operation_seconds",
        help="duration of a control operation among many at once, by percentile",
        labels=("operation", "statistic", "bound"),
        samples=_times,
    ),
)
CAPABILITIES = (
    Gauge(
        name="capability",
        help="1 for the status found for this capability; 0 for the other statuses",
        labels=("capability", "status"),
        samples=_capability,
    ),
)
MANY_SNAPSHOTS = (
    Gauge(
        name="writes_left_with_snapshots_ratio",
        help="writes of a volume with many snapshots, as a ratio of those of one without",
        labels=("profile", "snapshots", "bound"),
        samples=_left,
    ),
)
SNAPSHOTS = (
    Gauge(
        name="snapshot_records",
        help="records acknowledged before a snapshot of a volume in use, whole in it, lost, and missing before a later",
        labels=("snapshot_class", "volumes", "state"),
        samples=_held,
    ),
    Gauge(
        name="snapshot_longest_pause_seconds",
        help="longest time between two durable records before, while and after a snapshot is taken",
        labels=("snapshot_class", "volumes", "stage"),
        samples=_pauses,
    ),
)
FULL_VOLUMES = (
    Gauge(
        name="full_volume",
        help="1 for the status found for what a full volume must do; 0 for the other statuses",
        labels=("aspect", "status"),
        samples=_aspects,
    ),
    Gauge(
        name="full_volume_written_bytes",
        help="durable bytes on a volume when a write failed for want of space",
        samples=lambda record: iter([(record.written, {})]),
    ),
)
TRENDS = (
    Gauge(
        name="history_level",
        help="level of a metric in earlier runs, in its unit; low and high: where noise alone leaves this run",
        labels=("profile", "metric", "unit", "bound"),
        samples=_level,
    ),
    Gauge(
        name="history_runs",
        help="number of earlier runs that make that level",
        labels=("profile", "metric"),
        samples=_runs,
    ),
    Gauge(
        name="history_change_ratio",
        help="new level of a metric divided by the accepted one, less 1; absent while there is no new level",
        labels=("profile", "metric"),
        samples=_change,
    ),
)
IMPORTS = (
    Gauge(
        name="imported_tests",
        help="number of tests that another tool ran, as its file says",
        labels=("import", "tool", "status"),
        samples=_imported,
    ),
)
POOLS = (
    Gauge(
        name="pool_claimed_bytes",
        help="bytes that the run planned to claim at one time at most",
        samples=lambda record: iter([(record.claimed, {})]),
    ),
    Gauge(
        name="pool_free_bytes",
        help="bytes that were free in the storage before the run; absent where that is not known",
        samples=lambda record: iter([(record.free, {})]),
    ),
)
