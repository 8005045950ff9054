"""The document of a run: the models behind `results.json`. All frozen; times in s, rates in 1/s and B/s, CPU in s/s."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field, JsonValue

from acceptance.results.clusters import Cluster
from acceptance.results.conditions import Conditions
from acceptance.results.crashes import DurabilityRecord, FailoverRecord
from acceptance.results.declaration import Declaration
from acceptance.results.disruptions import StoragePodsRecord
from acceptance.results.features import CapabilityRecord
from acceptance.results.figures import FiguresRecord
from acceptance.results.filling import FullVolumeRecord
from acceptance.results.history import TrendRecord
from acceptance.results.imports import ImportRecord
from acceptance.results.known_storage import KnownStorage
from acceptance.results.many_files import ManyFilesRecord
from acceptance.results.model import Frozen, Unit
from acceptance.results.neighbours import NeighboursRecord
from acceptance.results.operations import OperationsRecord
from acceptance.results.pools import PoolRecord
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.results.price import PriceRecord
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.rebuilds import RebuildRecord
from acceptance.results.requirement import FigureUnit, Outcome, Requirement
from acceptance.results.scaling import ScalingRecord
from acceptance.results.snapshots import ManySnapshotsRecord, SnapshotRecord
from acceptance.results.subjects import Subject
from acceptance.results.under_load import UnderLoadRecord

Role = Literal["candidate", "baseline"]
Status = Literal["pass", "fail", "inconclusive", "skipped"]
Overall = Literal["pass", "partial", "fail", "inconclusive"]
"""`partial`: all verdicts passed, but the tier was judged in part."""


class Estimate(Frozen):
    """A metric's value with its confidence interval.

    `low` and `high` are None when there are too few samples to say how sure the mean is.
    """

    mean: float
    low: float | None
    high: float | None
    unit: Unit
    samples: int = Field(description="seconds of load on which the value rests")
    confidence: float = Field(default=0.95, description="confidence of the two-sided interval from low to high")


class RelativeEstimate(Frozen):
    """A metric of the candidate as a multiple of the baseline's, with its confidence interval.

    From batches that were measured in turn, pair by pair (`acceptance.statistics.ratios`): what disturbs the machine
    disturbs both classes, and cancels out.
    """

    ratio: float
    low: float
    high: float
    confidence: float = Field(description="confidence of the two-sided interval from low to high")


class LatencyPoint(Frozen):
    """A latency percentile: `percentile` percent of the operations took no longer than `seconds`."""

    percentile: float
    seconds: float


class VisitRecord(Frozen):
    """One of the loads of a profile that are minutes apart: operations a second by metric, such as `write.iops`."""

    started: AwareDatetime
    duration_s: float
    rates: dict[str, float]


class Measurement(Frozen):
    """The results of one profile on one StorageClass."""

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
    series: dict[str, list[float]] = Field(description="one value for each second, by metric")
    warnings: list[str]
    compared_with: str | None = Field(
        default=None, description="id of the baseline's measurement; after this one both classes were loaded in turn"
    )
    distribution: dict[str, list[LatencyPoint]] = Field(
        default={},
        description="latency of all operations by percentile and direction, up to the last that at least 10 reached or "
        "exceeded",
    )
    against_baseline: dict[str, RelativeEstimate] = Field(
        default={}, description="candidate / baseline, by metric; not for single events such as the longest stall"
    )
    slowed_down_after_s: int | None = Field(
        default=None,
        description="seconds of load after which it was slower until its end; the values of a full load are from then "
        "on",
    )
    at_the_end: RelativeEstimate | None = Field(
        default=None, description="operations a second when this load was repeated at the end of the run / here"
    )
    after_rest: RelativeEstimate | None = Field(
        default=None,
        description="operations a second after a long idle time / after a short one, in turn with the baseline",
    )
    warm_up_s: int = Field(
        default=0, description="seconds of load until the storage was as fast as later; they are in no value"
    )
    visits: list[VisitRecord] = Field(default=[], description="the loads of the candidate, between which others ran")
    between_visits: float | None = Field(
        default=None,
        description="standard deviation of rates between the visits of the class, as a share; intervals include it",
    )


class SustainedRecord(Frozen):
    """A load without a pause, whose end is judged. `load`: all of it, with the values of its end."""

    load: Measurement
    asked_s: int = Field(description="how long the load was to last, in s")
    judged_s: int = Field(description="length in s of its end, from which the values and rounds are")
    rounds: list[float] = Field(description="operations a second in each fifth of that end")
    test_size: int = Field(description="bytes of the test file")
    cache: int | None = Field(default=None, description="bytes of the storage's cache, as the target file states")


class Verdict(Frozen):
    """The verdict on one requirement. Its figure, if there is one, has an interval or is exact, such as a count."""

    id: str
    test: str = Field(default="", description="the test that requested it; set when the verdict is accepted")
    storage_class: str
    requirement: Requirement
    outcome: Outcome | None = Field(
        default=None, description="the finding as data; None in results of older suites, which have only `reason`"
    )
    measured: float | None
    low: float | None
    high: float | None
    unit: FigureUnit | None = None
    confidence: float | None = Field(default=None, description="confidence of the two-sided interval from low to high")
    status: Status
    limit: str = Field(description="the requirement in words, for readers: no program reads it")
    reason: str = Field(description="the outcome in a sentence, for readers: no program reads it")
    applies: bool = Field(
        default=True,
        description="false only if skipped because the class, or where it was tested, lacks what the limit is about; "
        "the limit then does not count as one that was not judged",
    )
    subject: Subject | None = Field(default=None, description="the subject; None only in results of older suites")
    chapter: str | None = Field(default=None, description="title of a chapter of the report, if the test names one")

    @property
    def rule(self) -> str:
        """The name of the rule that the verdict judges."""
        return self.requirement.rule

    @property
    def profile(self) -> str | None:
        """The profile that was run, or the name that replaces it."""
        return self.requirement.profile

    @property
    def metric(self) -> str | None:
        """The metric that was measured; None if the requirement holds or does not."""
        return self.requirement.metric


class Step(Frozen):
    """One timed step of a volume's life."""

    storage_class: str
    test: str
    step: str
    seconds: float


class Run(Frozen):
    id: str
    started: AwareDatetime
    finished: AwareDatetime | None
    complete: bool = Field(
        description="whether the run ended and reached a verdict in all selected tests; in results of older suites: "
        "whether it has an exit status"
    )
    suite_version: str
    exit_status: int | None
    command: str | None = Field(default=None, description="the command line that repeats the run with the same tests")
    tests: list[str] = Field(
        default=[], description="all selected tests; the run did not reach those without a verdict"
    )
    deselected: int | None = Field(
        default=None,
        description="number of tests that -k, -m or the preset left out; None in results of older suites",
    )
    left_out: list[str] = Field(default=[], description="selected tests for which the time budget had no room")


class Results(Frozen):
    """The document `results.json`."""

    schema_version: Literal[3] = 3
    run: Run
    cluster: Cluster | None
    settings: dict[str, JsonValue]
    tested_with: Conditions | None = None
    known_storage: KnownStorage | None = Field(default=None, description="None without a target")
    declaration: Declaration | None = Field(default=None, description="None if nothing was declared")
    pools: list[PoolRecord] = Field(default=[], description="empty for a host, and in results of older suites")
    measurements: list[Measurement]
    steps: list[Step]
    scaling: list[ScalingRecord] = Field(default=[])
    control_plane: list[ControlPlaneRecord] = Field(default=[])
    rebuilds: list[RebuildRecord] = Field(default=[])
    capabilities: list[CapabilityRecord] = Field(default=[])
    durability: list[DurabilityRecord] = Field(default=[])
    failovers: list[FailoverRecord] = Field(default=[])
    storage_pods: list[StoragePodsRecord] = Field(default=[], description="empty unless pods to kill were named")
    snapshots: list[SnapshotRecord] = Field(default=[])
    many_snapshots: list[ManySnapshotsRecord] = Field(default=[], description="empty unless operations were requested")
    full_volumes: list[FullVolumeRecord] = Field(default=[])
    operations: list[OperationsRecord] = Field(default=[], description="empty unless operations were requested")
    many_files: list[ManyFilesRecord] = Field(default=[], description="empty unless many files were requested")
    sustained: list[SustainedRecord] = Field(default=[], description="empty unless a sustained load was requested")
    under_load: list[UnderLoadRecord] = Field(default=[], description="empty unless latency under load was requested")
    prices: list[PriceRecord] = Field(default=[], description="empty unless resource overhead was requested")
    postgresql: list[PostgresqlRecord] = Field(default=[], description="empty unless requested as a workload")
    neighbours: list[NeighboursRecord] = Field(default=[], description="empty unless noisy neighbors were requested")
    trends: list[TrendRecord] = Field(
        default=[], description="metrics with a history limit, compared with earlier runs"
    )
    figures: list[FiguresRecord] = Field(default=[], description="subjects whose records have no form of their own")
    imports: list[ImportRecord] = Field(
        default=[], description="results of other tools; this suite ran none of their tests"
    )
    verdicts: list[Verdict]
    tier_limits: int = Field(
        default=0,
        description="limits and comparison rules of the tier, for all candidate classes together; 0 also if an older "
        "suite did not count them",
    )
    tier_limits_applying: int | None = Field(
        default=None,
        description="those of `tier_limits` that apply to the classes and where they were tested; None in results of "
        "older suites",
    )
    tier_limits_judged: int | None = Field(
        default=None,
        description="those of `tier_limits_applying` that were judged; None in results of older suites",
    )
    warnings: list[str] = Field(default=[], description="what disturbed the run as a whole, such as another run")
    errors: list[str] = Field(description="what went wrong outside the storage: the environment, leaks, interruptions")
    overall: Overall
