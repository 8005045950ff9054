"""What a run found: the models behind `results.json`. All frozen; times in s, rates in 1/s and B/s, CPU use in
CPU seconds a second (`cpu`)."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field, JsonValue

from acceptance.results.crashes import DurabilityRecord, FailoverRecord
from acceptance.results.declaration import Declaration
from acceptance.results.features import CapabilityRecord
from acceptance.results.history import TrendRecord
from acceptance.results.model import Frozen, Unit
from acceptance.results.operations import OperationsRecord
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.rebuilds import RebuildRecord
from acceptance.results.scaling import ScalingRecord

Role = Literal["candidate", "baseline"]
Status = Literal["pass", "fail", "inconclusive", "skipped"]
Overall = Literal["pass", "fail", "inconclusive"]
Subject = Literal[
    "speed",
    "many-volumes",
    "control-plane",
    "rebuild",
    "durability",
    "provisioning",
    "features",
    "history",
    "sustained",
    "further-tests",
]
"""What a test asks about; `speed`: how fast one volume is."""


class Estimate(Frozen):
    """A metric's value with its confidence interval.

    `low` and `high` are None when there are too few samples to say how sure the mean is.
    """

    mean: float
    low: float | None
    high: float | None
    unit: Unit
    samples: int = Field(description="seconds of load that the value rests on")
    confidence: float = Field(default=0.95, description="of the two-sided interval low..high")


class RelativeEstimate(Frozen):
    """A metric of the candidate as a multiple of the baseline's, with its confidence interval.

    From batches that were measured in turn, pair by pair (`acceptance.statistics.ratios`): what happened to the machine
    happened to both, and is not in it.
    """

    ratio: float
    low: float
    high: float
    confidence: float = Field(description="of the two-sided interval low..high")


class LatencyPoint(Frozen):
    """So many percent of the operations took no longer."""

    percentile: float
    seconds: float


class Measurement(Frozen):
    """What one profile showed on one StorageClass."""

    id: str
    profile: str
    storage_class: str
    role: Role
    node: str
    pods: list[str]
    started: AwareDatetime
    duration_s: float
    fio_version: str
    metrics: dict[str, Estimate]
    series: dict[str, list[float]] = Field(description="per-second values, by metric")
    warnings: list[str]
    compared_with: str | None = Field(
        default=None,
        description="id of the baseline's measurement: after this one, both classes were loaded in turn for the ratios",
    )
    distribution: dict[str, list[LatencyPoint]] = Field(
        default={},
        description="latency by percentile, by direction: of all operations, as far as at least 10 lie beyond",
    )
    against_baseline: dict[str, RelativeEstimate] = Field(
        default={}, description="candidate / baseline, by metric; not of events such as the longest stall"
    )
    slowed_down_after_s: int | None = Field(
        default=None,
        description="seconds of load after which it was slower to the end; values of a full load are of what came then",
    )
    at_the_end: RelativeEstimate | None = Field(
        default=None,
        description="operations a second when this load was repeated at the end of the run / in this measurement",
    )
    after_rest: RelativeEstimate | None = Field(
        default=None,
        description="operations a second after much rest / after little, of this class in turn with the baseline",
    )


class SustainedRecord(Frozen):
    """A load without a pause, of which the end is judged. `load`: all of it, with the values of its end."""

    load: Measurement
    asked_s: int = Field(description="how long it was to be")
    judged_s: int = Field(description="how much of its end the values and rounds are of")
    rounds: list[float] = Field(description="operations a second in each fifth of that")
    test_size: int = Field(description="bytes")
    cache: int | None = Field(default=None, description="bytes that the storage's cache holds, by the target file")


class Verdict(Frozen):
    """One limit, judged."""

    id: str
    test: str = Field(default="", description="that asked; it is added when the verdict is accepted")
    storage_class: str
    profile: str | None
    metric: str | None
    rule: str
    limit: str
    measured: float | None
    low: float | None
    high: float | None
    unit: Unit | Literal["ratio", "B", "pods"] | None = None
    confidence: float | None = Field(default=None, description="of the two-sided interval low..high")
    status: Status
    reason: str
    subject: Subject | None = Field(default=None, description="what was asked about; None only by older suites")
    chapter: str | None = Field(default=None, description="title of a chapter of the report that the test asks for")


class Step(Frozen):
    """One timed step of a volume's life."""

    storage_class: str
    test: str
    step: str
    seconds: float


class Node(Frozen):
    name: str
    kubelet: str
    kernel: str
    os_image: str
    container_runtime: str
    architecture: str


class StorageClass(Frozen):
    """A StorageClass as the cluster describes it; a directory, without a cluster."""

    name: str
    provisioner: str
    parameters: dict[str, str]
    binding_mode: str
    reclaim_policy: str
    allow_expansion: bool
    default: bool

    @property
    def provisions(self) -> bool:
        """Whether anything is named that makes volumes of it."""
        return self.provisioner not in ("", "kubernetes.io/no-provisioner")


class Image(Frozen):
    reference: str
    digest: str | None


class CpuLatency(Frozen):
    """Whether the suite kept the CPUs of its host from sleeping while it ran; `reason`: why not."""

    held_low: bool
    reason: str | None = None


class Cluster(Frozen):
    kind: str
    kubernetes_version: str
    nodes: list[Node]
    storage_classes: list[StorageClass]
    image: Image
    identity: str = Field(
        default="", description="what tells it from other clusters: the uid of kube-system; the host that it is on"
    )
    cpu_latency: CpuLatency | None = Field(
        default=None,
        description="of an embedded cluster's host, whose CPUs play all nodes; None for others, and by older suites",
    )
    stand_ins: list[str] = Field(
        default=[], description="what the cluster says that it has in place of the real thing; empty by older suites"
    )


class Run(Frozen):
    id: str
    started: AwareDatetime
    finished: AwareDatetime | None
    complete: bool = Field(
        description="whether the run has an exit status; it may have been interrupted before its last test all the same"
    )
    suite_version: str
    exit_status: int | None
    command: str | None = Field(default=None, description="the command line that runs the same again")
    tests: list[str] = Field(default=[], description="all that were selected; those without a verdict were not reached")


class TierLimit(Frozen):
    """A limit of the tier, as verdicts on it name it."""

    profile: str
    limit: str


class Conditions(Frozen):
    """What loads and limits were: the texts themselves, since files of the same name may differ."""

    profiles: dict[str, str] = Field(description="all load files of the folder, by name")
    limits_file: str
    limits: list[TierLimit] = Field(description="what `Results.tier_limits` counts, once for all classes")
    limits_digest: str = Field(default="", description="SHA-256 of the limits file; empty by older suites")
    limits_shipped: bool = Field(
        default=False,
        description="whether that file, and the profiles that it is on, are those of that version of the suite",
    )
    required: list[str] = Field(
        default=[], description="tests without which a pass is none of the tier: files, or tests in them"
    )


class Statement(Frozen):
    """What somebody says of a storage, and where."""

    what: str
    source: str


class KnownStorage(Frozen):
    """What the target file says of the storage. Nothing is judged by it."""

    about: str | None
    caveats: list[Statement] = Field(description="what makes figures differ from what a reader would take them for")
    limits: list[Statement] = Field(description="what the storage's own documentation states")


class PoolRecord(Frozen):
    """What the run was to claim of a class, and what was free for it, before anything was made."""

    storage_class: str
    claimed: int = Field(description="bytes at one time at the most, as planned")
    free: int | None = Field(description="bytes, of the part of the pool that is claimed most of; None: not known")
    description: str = Field(description="both in words, with the source")


class Results(Frozen):
    """The document `results.json`."""

    schema_version: Literal[2] = 2
    run: Run
    cluster: Cluster | None
    settings: dict[str, JsonValue]
    tested_with: Conditions | None = None
    known_storage: KnownStorage | None = Field(default=None, description="None without a target")
    declaration: Declaration | None = Field(default=None, description="None where nothing was declared")
    pools: list[PoolRecord] = Field(default=[], description="empty for a host, and by older suites")
    measurements: list[Measurement]
    steps: list[Step]
    scaling: list[ScalingRecord] = Field(default=[])
    control_plane: list[ControlPlaneRecord] = Field(default=[])
    rebuilds: list[RebuildRecord] = Field(default=[])
    capabilities: list[CapabilityRecord] = Field(default=[])
    durability: list[DurabilityRecord] = Field(default=[])
    failovers: list[FailoverRecord] = Field(default=[])
    operations: list[OperationsRecord] = Field(default=[], description="empty unless it was asked for")
    sustained: list[SustainedRecord] = Field(default=[], description="empty unless it was asked for")
    trends: list[TrendRecord] = Field(default=[], description="what earlier runs say of the metrics that have a limit")
    verdicts: list[Verdict]
    tier_limits: int = Field(
        default=0,
        description="limits and comparison rules that the tier has, for all candidate classes together; 0 also where "
        "an older suite did not count them",
    )
    warnings: list[str] = Field(default=[], description="what disturbed the run as a whole, such as another run")
    errors: list[str] = Field(description="what went wrong beside the storage: environment, leaks, interruptions")
    overall: Overall
