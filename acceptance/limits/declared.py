"""The sections of a tier; for those with fixed keys also their limits, and the options that they require."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from pydantic import BeforeValidator, Field

from acceptance.limits.history import HISTORY
from acceptance.limits.limit import Limit
from acceptance.limits.ramps import RampRules
from acceptance.limits.rebuilds import REBUILD
from acceptance.limits.scaling import SCALING
from acceptance.limits.sections import ALWAYS, Bound, Keys, Section, declare_section, entry_of
from acceptance.limits.simultaneous import DRAIN_OF_MANY, MIXED_OPERATIONS, NODE_VOLUMES
from acceptance.limits.speed import COMPARISON, LIMITS, SUSTAINED_LIMITS
from acceptance.limits.under_load import NEIGHBOURS, UNDER_LOAD
from acceptance.limits.values import QUANTITY, Share, Size
from acceptance.results.many_files import FILE_OPERATIONS, FILE_OUTCOMES
from acceptance.results.operations import OPERATIONS, Operation
from acceptance.text.quantities import parse_quantity

SNAPSHOTS_PROFILE, SNAPSHOTS_METRIC = "sync-write-iops", "write.iops"
"""The load of both volumes, and the compared metric: commits wait for such writes."""
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
"""The share of operations that take no longer, by the name of the percentile."""
FILES = 100_000
"""The number of files of a limit, if its section does not set one."""
StartAspect = Literal["start", "start_growth", "other_group"]
START_ASPECTS: tuple[StartAspect, ...] = get_args(StartAspect)


class AskedOperation(NamedTuple):
    """An operation, and the percentile of its times that a limit is on."""

    operation: Operation
    percentile: str


def operation_of(limit: Limit) -> AskedOperation | None:
    """Return the operation that a limit is on; None for the limit on the failures of all operations."""
    operation, _, percentile = limit.path.partition(".")
    return AskedOperation(cast(Operation, operation), percentile) if percentile else None


def _part(text: Any) -> float:
    share = parse_quantity(text, unit="ratio")
    if share >= 1.0:
        raise ValueError(f"expected a share below 100%, found {text!r}, which every class meets")
    return share


def _cpus(text: object) -> float:
    if (cpus := parse_quantity(str(text), unit="cpu")) == 0.0:
        raise ValueError(f"expected a value above zero, found {text!r}, which no storage can meet")
    return cpus


_Cpus = Annotated[float, BeforeValidator(_cpus), QUANTITY]
_Part = Annotated[float, BeforeValidator(_part), QUANTITY]
_Restarts, _Pods = Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]

PRICE = declare_section(
    "resource_overhead",
    "The limits of a tier on the resource overhead under one profile.",
    {
        "cpu_per_1000_iops": Bound(
            entry=entry_of("CpuEntry", "`{at_most: 1.5CPU, because: ...}`", _Cpus),
            unit="cpu",
            words="CPU of the storage's pods per 1,000 IOPS: {wanted}",
        ),
        "memory_growth": Bound(
            entry=entry_of("GrowthEntry", "`{at_most: 16MiB, because: ...}`; in an hour.", Size),
            unit="B",
            per="hour",
            words="memory growth of a pod of the storage in an hour of load: {wanted}",
        ),
        "restarts": Bound(
            entry=entry_of("RestartsEntry", "`{at_most: 0, because: ...}`", _Restarts),
            unit="count",
            counts=True,
            words="restarts of the storage's containers: {wanted}",
        ),
    },
    profile=None,
    asked_with={"price"},
    formerly="price",
)
CONTROL_PLANE = declare_section(
    "control_plane",
    "The section of one tier. It inherits missing keys from the tier that it extends; `ramp` only in full.",
    {
        "pods": Bound(
            entry=entry_of("_Pods", value=_Pods, side="at_least"), unit="pods", words="{wanted} with a volume each"
        ),
        "ramp_down": Bound(
            path="ramp-down", words="PVCs and PVs deleted {wanted} after the request to end the last pod"
        ),
    },
    profile="control-plane",
    asked_with={"destructive"},
    settings={"ramp": (RampRules | None, None)},
)
_FAILOVER_TEXT = (
    "The longest time (s) allowed from the last durable write on a node that fails to the first on another node."
)
_OUT_OF_SERVICE_TEXT = "As `time`, for a node that fails and is then tainted as out of service."
_DRAIN_TEXT = "As `time`, for a node whose pod is evicted, as a drain does."
FAILOVER = declare_section(
    "failover",
    "`{time: {at_most: 8min, because: ...}, drain_time: {at_most: 2min, because: ...}}`",
    {
        "time": Bound(
            entry=entry_of("FailoverLimit", _FAILOVER_TEXT),
            path="failover.time",
            words="time until the volume of a failed node is written on another: {wanted}",
            tile="Failover of a node",
        ),
        "out_of_service_time": Bound(
            entry=entry_of("OutOfServiceLimit", _OUT_OF_SERVICE_TEXT),
            path="failover.out_of_service_time",
            profile="failover-out-of-service",
            words="time until the volume of a failed (out-of-service) node is written on another: {wanted}",
        ),
        "drain_time": Bound(
            entry=entry_of("DrainLimit", _DRAIN_TEXT),
            path="drain.time",
            profile="drain",
            asked_with=ALWAYS,
            words="time until the volume of a drained node is written on another: {wanted}",
        ),
    },
    profile="failover",
    asked_with={"destructive"},
)
_READY = "The longest time (s) allowed from a pod's deletion until its replacement is Ready."
_GAP = "The longest time (s) allowed between two durable records meanwhile."
_NEW = "The longest time (s) allowed from then until a new volume has been provisioned and written to."
DISRUPTION = declare_section(
    "disruption",
    "`{pod_ready: {at_most: 2min, because: ...}, write_gap: ..., new_volume: ...}`",
    {
        "pod_ready": Bound(
            entry=entry_of("PodReadyLimit", _READY),
            path="storage_pods.ready",
            words="until a killed pod of the storage system is Ready again: {wanted}",
        ),
        "write_gap": Bound(
            entry=entry_of("WriteGapLimit", _GAP),
            path="storage_pods.write_gap",
            words="longest gap in durable writes while a pod of the storage system is killed: {wanted}",
        ),
        "new_volume": Bound(
            entry=entry_of("NewVolumeLimit", _NEW),
            path="storage_pods.new_volume",
            words="until a new volume is in use once a killed pod of the storage system is Ready again: {wanted}",
        ),
    },
    profile="storage-pods",
    asked_with={"destructive", "kill_pods"},
)
_PERCENTILES = Keys(
    name="OperationEntry",
    about="`{p95: {at_most: 30s, because: ...}}`",
    parts={name: Bound(words=f"{name} until {{operation}}, concurrent operations: {{wanted}}") for name in PERCENTILES},
)
_FAILURES = Bound(
    entry=entry_of("FailedEntry", "`{at_most: 0%, because: ...}`", _Part),
    unit="ratio",
    counts=True,
    words="failed concurrent control operations: {wanted}",
)
CONTROL_OPERATIONS = declare_section(
    "operations",
    "The section of one tier: a key for each operation, and `failed` for the share of all operations that may fail.",
    {**dict.fromkeys(OPERATIONS, _PERCENTILES), "failed": _FAILURES},
    profile="control-operations",
    asked_with={"operations"},
)
_WRITES_LEFT = entry_of("WritesLeftEntry", "`{at_least: 50%, because: ...}`", Share, side="at_least")
SNAPSHOTS = declare_section(
    "snapshots",
    "`writes_left: {at_least: 50%, because: ...}`",
    {"writes_left": Bound(entry=_WRITES_LEFT, unit="ratio", path=SNAPSHOTS_METRIC, rule="writes_left_with_snapshots")},
    profile=SNAPSHOTS_PROFILE,
    asked_with={"operations"},
)
MANY_FILES = declare_section(
    "many_files",
    "`{files: 100000, create: {at_most: 10min, because: ...}}`; `files` is the number of files of all its limits.",
    {
        **{
            file_operation: Bound(words=f"{{files:,}} files {FILE_OUTCOMES[file_operation]}: {{wanted}}")
            for file_operation in FILE_OPERATIONS
        },
        "start": Bound(words="{files:,} files, slowest pod ready on them: {wanted}"),
        "start_growth": Bound(words="{files:,} files, pod ready on them, later than on an empty volume: {wanted}"),
        "other_group": Bound(words="{files:,} files, slowest pod with another fsGroup ready on them: {wanted}"),
    },
    profile="many-files",
    asked_with={"many_files"},
    settings={"files": (Annotated[int, Field(ge=1, le=99_999_999)], FILES)},
)
_BIND_TIME_TEXT = "The longest time (s) allowed from the creation of a PVC, for which a pod waits, until it is bound."
PROVISIONING = declare_section(
    "provisioning",
    "`bind_time: {at_most: 60s, because: ...}`",
    {
        "bind_time": Bound(
            entry=entry_of("ProvisioningLimit", _BIND_TIME_TEXT),
            path="provisioning.bind_time",
            rule="bind_time",
            words="PVC bound {wanted} after its creation",
            tile="New PVC bound within",
        )
    },
    profile="volume",
)
_NODE_READY_TEXT = (
    "The longest time (s) allowed from the request for a volume until a pod has used it, on the slowest node."
)
EVERY_NODE = declare_section(
    "every_node",
    "`ready: {at_most: 60s, because: ...}`",
    {
        "ready": Bound(
            entry=entry_of("NodeReadyLimit", _NODE_READY_TEXT),
            path="every_node.ready",
            words="new volume used on the slowest node {wanted} after the request",
        )
    },
    profile="volume",
    of_figures=True,
)
_WRITABLE_TEXT = "The longest time (s) allowed from the restoration of interrupted storage to the next durable write."
DISTURBANCES = declare_section(
    "disturbances",
    "`{writable: {at_most: 30s, because: ...}, writable_after_restart: ...}`",
    {
        "writable": Bound(
            entry=entry_of("WritableLimit", _WRITABLE_TEXT),
            path="disturbances.writable",
            words="volume written {wanted} after interrupted storage was restored",
        ),
        "writable_after_restart": Bound(
            entry=entry_of("WritableAfterRestartLimit", "As `writable`, from the restoration of another node."),
            path="disturbances.writable_after_restart",
            words="volume written {wanted} after another node was restarted",
        ),
        "used_after_joint_restart": Bound(
            path="disturbances.used_after_joint_restart",
            words="volume written {wanted} after all restarted nodes were Ready",
        ),
        "used_elsewhere": Bound(
            entry=entry_of("UsedElsewhereLimit", "The longest time (s) until the volume of a node is used on another."),
            path="disturbances.used_elsewhere",
            words="time until the volume of a node that was shut down is written on another: {wanted}",
        ),
        "used_elsewhere_after_cut": Bound(
            entry=entry_of("UsedElsewhereAfterCutLimit", "As `used_elsewhere`, for a node that is cut off."),
            path="disturbances.used_elsewhere_after_cut",
            words="time until the volume of a node that was cut off is written on another: {wanted}",
        ),
    },
    profile="disturbances",
    asked_with={"destructive"},
    of_figures=True,
)
SECTIONS: tuple[Section, ...] = (
    LIMITS,
    COMPARISON,
    SCALING,
    SUSTAINED_LIMITS,
    UNDER_LOAD,
    PRICE,
    NEIGHBOURS,
    CONTROL_PLANE,
    REBUILD,
    FAILOVER,
    DISRUPTION,
    DISTURBANCES,
    CONTROL_OPERATIONS,
    MIXED_OPERATIONS,
    SNAPSHOTS,
    MANY_FILES,
    PROVISIONING,
    EVERY_NODE,
    DRAIN_OF_MANY,
    NODE_VOLUMES,
    HISTORY,
)
"""All sections that a tier can have limits in, in the order of the schema."""
BY_KEY = {section.key: section for section in SECTIONS}
ON_PROFILES = {section.key for section in SECTIONS if section.by_profile} | {SNAPSHOTS.key, HISTORY.key}
"""The sections whose limits have profiles that are run."""
BOUNDS: dict[str, Bound] = {
    path: bound for section in SECTIONS for path, (_, bound) in section.bounds.items() if bound.words
}
"""The bounds by the path that verdicts have for a metric."""
