"""The sections whose limits stand at fixed keys: what each may say, and with which option it is asked for."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from pydantic import BeforeValidator, Field

from acceptance.limits.limit import Limit
from acceptance.limits.ramps import RampRules
from acceptance.limits.sections import ALWAYS, Bound, Keys, declared, entry_of
from acceptance.limits.values import QUANTITY, Share, Size
from acceptance.results.many_files import FILE_OPERATIONS
from acceptance.results.operations import OPERATIONS, Operation
from acceptance.text.quantities import parse_quantity

SNAPSHOTS_PROFILE, SNAPSHOTS_METRIC = "sync-write-iops", "write.iops"
"""what both volumes are loaded with, and what is compared: commits wait for such writes"""
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
"""by name: the share of operations that take no longer"""
FILES = 100_000
"""that a limit is about where its section does not say how many"""
StartAspect = Literal["start", "start_growth", "other_group"]
START_ASPECTS: tuple[StartAspect, ...] = get_args(StartAspect)


class AskedOperation(NamedTuple):
    """What is to be done, and which of all that did it, in the order of their times."""

    operation: Operation
    percentile: str


def operation_of(limit: Limit) -> AskedOperation | None:
    """What a limit on control operations is on; None of that on what fails of all of them."""
    operation, _, percentile = limit.path.partition(".")
    return AskedOperation(cast(Operation, operation), percentile) if percentile else None


def _part(text: Any) -> float:
    share = parse_quantity(text, unit="ratio")
    if share >= 1.0:
        raise ValueError(f"wanted a share below 100%, found {text!r}, which every class meets")
    return share


def _cpus(text: object) -> float:
    if (cpus := parse_quantity(str(text), unit="cpu")) == 0.0:
        raise ValueError(f"wanted a value above zero, found {text!r}, which no storage can meet")
    return cpus


_Cpus = Annotated[float, BeforeValidator(_cpus), QUANTITY]
_Part = Annotated[float, BeforeValidator(_part), QUANTITY]
_Restarts, _Pods = Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]

PRICE = declared(
    "price",
    "What a tier says of one profile.",
    {
        "cpu_per_1000_iops": Bound(entry=entry_of("CpuEntry", "`{at_most: 1.5CPU, because: ...}`", _Cpus), unit="cpu"),
        "memory_growth": Bound(
            entry=entry_of("GrowthEntry", "`{at_most: 16MiB, because: ...}`; in an hour.", Size), unit="B"
        ),
        "restarts": Bound(entry=entry_of("RestartsEntry", "`{at_most: 0, because: ...}`", _Restarts), unit="count"),
    },
    profile=None,
    asked_with={"price"},
)
CONTROL_PLANE = declared(
    "control_plane",
    "The section of one tier. It inherits what it leaves out from the tier that it extends; `ramp` only as a whole.",
    {
        "pods": Bound(entry=entry_of("_Pods", value=_Pods, side="at_least"), unit="pods"),
        "ramp_down": Bound(path="ramp-down"),
    },
    profile="control-plane",
    asked_with={"destructive"},
    settings={"ramp": (RampRules | None, None)},
)
_LEFT = "The longest time (s) allowed from the last durable write on a node that fails to the first on another node."
_TAINTED = "The same for a node that fails and is then tainted as out of service."
_DRAINED = "The same for a node whose pod is evicted, as a drain does."
FAILOVER = declared(
    "failover",
    "`{time: {at_most: 8min, because: ...}, drain_time: {at_most: 2min, because: ...}}`",
    {
        "time": Bound(entry=entry_of("FailoverLimit", _LEFT), path="failover.time"),
        "out_of_service_time": Bound(
            entry=entry_of("OutOfServiceLimit", _TAINTED),
            path="failover.out_of_service_time",
            profile="failover-out-of-service",
        ),
        "drain_time": Bound(
            entry=entry_of("DrainLimit", _DRAINED), path="drain.time", profile="drain", asked_with=ALWAYS
        ),
    },
    profile="failover",
    asked_with={"destructive"},
)
_READY = "From a pod's deletion until another one is Ready in its place."
_GAP = "Between two durable records meanwhile."
_NEW = "From then until a new volume has been provisioned and written to."
DISRUPTION = declared(
    "disruption",
    "`{pod_ready: {at_most: 2min, because: ...}, write_gap: ..., new_volume: ...}`",
    {
        "pod_ready": Bound(entry=entry_of("PodReadyLimit", _READY), path="storage_pods.ready"),
        "write_gap": Bound(entry=entry_of("WriteGapLimit", _GAP), path="storage_pods.write_gap"),
        "new_volume": Bound(entry=entry_of("NewVolumeLimit", _NEW), path="storage_pods.new_volume"),
    },
    profile="storage-pods",
    asked_with={"destructive", "kill_pods"},
)
_PERCENTILES = Keys(
    name="OperationEntry", about="`{p95: {at_most: 30s, because: ...}}`", parts=dict.fromkeys(PERCENTILES, Bound())
)
_FAILED = Bound(entry=entry_of("FailedEntry", "`{at_most: 0%, because: ...}`", _Part), unit="ratio")
CONTROL_OPERATIONS = declared(
    "operations",
    "The section of one tier: a key for each operation, and one for what may fail of all of them.",
    {**dict.fromkeys(OPERATIONS, _PERCENTILES), "failed": _FAILED},
    profile="control-operations",
    asked_with={"operations"},
)
_WRITES_LEFT = entry_of("WritesLeftEntry", "`{at_least: 50%, because: ...}`", Share, side="at_least")
SNAPSHOTS = declared(
    "snapshots",
    "`writes_left: {at_least: 50%, because: ...}`",
    {"writes_left": Bound(entry=_WRITES_LEFT, unit="ratio", path=SNAPSHOTS_METRIC, rule="writes_left_with_snapshots")},
    profile=SNAPSHOTS_PROFILE,
    asked_with={"operations"},
)
MANY_FILES = declared(
    "many_files",
    "`{files: 100000, create: {at_most: 10min, because: ...}}`; `files` is how many all limits of it are about.",
    dict.fromkeys((*FILE_OPERATIONS, *START_ASPECTS), Bound()),
    profile="many-files",
    asked_with={"many_files"},
    settings={"files": (Annotated[int, Field(ge=1, le=99_999_999)], FILES)},
)
_BOUND = "The longest time (s) allowed from the creation of a PVC, for which a pod waits, until it is bound."
PROVISIONING = declared(
    "provisioning",
    "`bind_time: {at_most: 60s, because: ...}`",
    {"bind_time": Bound(entry=entry_of("ProvisioningLimit", _BOUND), path="provisioning.bind_time", rule="bind_time")},
    profile="volume",
)
