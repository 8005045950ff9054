"""The settings of a run, validated together: all errors are reported, not only the first one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, model_validator

from acceptance.results.access_modes import DEFAULT_MODE, RunAccessMode
from acceptance.results.model import Frozen
from acceptance.results.verdicts import PartialAs
from acceptance.settings.access_modes import WrittenAccessMode
from acceptance.settings.directories import same_directories
from acceptance.settings.imports import ImportedFailures, named_imports
from acceptance.settings.made_cluster import MAKERS, GivenCluster, MadeCluster, Maker
from acceptance.settings.offered import BY_KEY
from acceptance.settings.pod_selectors import PodSelectors
from acceptance.settings.pod_template import PodTemplate
from acceptance.settings.values import (
    Capabilities,
    ClassName,
    Duration,
    ExistingFile,
    Folder,
    HistoryFile,
    LimitsFiles,
    LoadTime,
    LongestLoad,
    NodeLabel,
    ObjectName,
    PodsOf,
    PodTemplateFile,
    PodUser,
    PushgatewayUrl,
    RampRate,
    Repeats,
    SecretName,
    Share,
    Size,
    SmallerPart,
    Steps,
    SustainedTime,
    TargetFile,
    VolumeRate,
    Window,
    Workloads,
)
from acceptance.text.errors import WrongUsage

SIZES = {"volume_size", "test_size"}
ClusterKind = Literal["embedded", "kubeconfig", "kind", "k3d", "minikube", "in-cluster", "host"]
OpenAs = Literal["inconclusive", "fail", "pass"]
"""The outcome of a run without a fail or an error, but with a verdict that is inconclusive."""
# The settings that only apply to a cluster.
OF_A_CLUSTER = ("kubeconfig", "context", "node", "image", "postgresql_image", "pull_secret", "pod_user", "pod_template")
OF_AN_EMBEDDED_CLUSTER = ("embedded", "cpu_latency")


def _default(key: str) -> Any:
    """Return the default of the option, which is written there as users write it."""
    return Field(default=BY_KEY[key].default, validate_default=True)


class Settings(Frozen):
    """The settings of a run. Sizes in bytes, times in s.

    Empty `storage_class`: the cluster's default class. For the cluster kind `host`, classes are paths of directories.
    `pull_secret` is NAMESPACE/NAME. `load_time` 0: each load is as long as its verdicts need.
    """

    cluster: ClusterKind | None = None  # first: it decides what the classes are
    storage_class: tuple[ClassName, ...] = ()
    baseline_class: ClassName | None = None
    compare_with: ClassName | None = None
    tier: str = _default("tier")
    thresholds: LimitsFiles
    limit: tuple[str, ...] = ()
    profiles: Folder
    workloads: Workloads = ()
    cluster_set: GivenCluster = MadeCluster()
    embedded: ObjectName | None = None
    cpu_latency: Literal["low", "unchanged"] | None = None
    kubeconfig: ExistingFile | None = None
    context: str | None = None
    node: ObjectName | None = None
    image: str | None = None
    pull_secret: SecretName | None = None
    pod_user: PodUser | None = None
    pod_template: PodTemplateFile | None = None
    volume_size: Size = _default("volume_size")
    test_size: Size = _default("test_size")
    volume_mode: Literal["filesystem", "block"] = _default("volume_mode")
    access_mode: WrittenAccessMode = _default("access_mode")
    claim_at_most: Size = _default("claim_at_most")
    pool_share: Share = _default("pool_share")
    sustained: bool = False
    sustained_time: SustainedTime = _default("sustained_time")
    latency_under_load: bool = False
    noisy_neighbours: Annotated[int, Field(ge=0, le=99)] = _default("noisy_neighbours")
    operations: bool = False
    operations_at_once: Annotated[int, Field(ge=1, le=9999)] = _default("operations_at_once")
    many_files: bool = False
    many_files_count: Annotated[int, Field(ge=1, le=99_999_999)] | None = None
    price: bool = False
    price_of: PodsOf = ()
    price_time: SustainedTime | None = None
    scale_steps: Steps = _default("scale_steps")
    scale_profiles: tuple[str, ...] = ()
    scale_window: Window = _default("scale_window")
    scale_rate_pods: Annotated[int, Field(ge=1, le=9999)] | None = None
    scale_rate: VolumeRate | None = None
    ramp_pods: Annotated[int, Field(ge=1, le=99999)] | None = None
    ramp_rate: RampRate | None = None
    ramp_form: Literal["set", "per-node"] = _default("ramp_form")
    ramp_node_selector: NodeLabel | None = None
    rebuild_size: Size | None = None
    rebuild_smaller: SmallerPart | None = None
    rebuild_repeats: Repeats = _default("rebuild_repeats")
    rebuild_snapshots: Annotated[int, Field(ge=1, le=999)] = _default("rebuild_snapshots")
    rebuild_timeout: Duration = _default("rebuild_timeout")
    durability_time: Duration = _default("durability_time")
    failover_timeout: Duration = _default("failover_timeout")
    kill_pods: PodSelectors = ()
    postgresql_image: str | None = None
    target: TargetFile | None = None
    declaration: ExistingFile | None = None
    imports: Annotated[tuple[str, ...], BeforeValidator(named_imports)] = ()
    imported_failures: ImportedFailures = _default("imported_failures")
    expect: Capabilities = ()
    refused_size: Size | None = None
    drained_pods: Annotated[int, Field(ge=0, le=999)] = _default("drained_pods")
    node_volumes: Annotated[int, Field(ge=0, le=999)] = _default("node_volumes")
    large_volume: Size | None = None
    timeout: Duration = _default("timeout")
    unjudged_time: Window = _default("unjudged_time")
    load_time: LoadTime = 0.0
    longest: LongestLoad = _default("longest")
    preset: str | None = None
    budget: Duration | None = None
    plan: bool = False
    history: HistoryFile | None = None
    report: Folder = _default("report")
    pushgateway: PushgatewayUrl | None = None
    inconclusive: OpenAs = _default("inconclusive")
    partial: PartialAs = _default("partial")
    keep: bool = False
    destructive: bool = False

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Settings:
        """Check settings against each other. `info.context`: the names of settings that could not be read."""
        unread: Collection[str] = info.context or ()
        problems = [*self._size_problems(), *self._cluster_problems(), *self._class_problems(unread)]
        if "cluster" not in unread:
            problems += self.cluster_set.problems(self.cluster_kind)
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _size_problems(self) -> Iterator[str]:
        if self.test_size > self.volume_size and self.cluster != "host":
            yield (
                f"--storage-test-size ({self.test_size} bytes) is above --storage-volume-size ({self.volume_size} "
                "bytes): the test file would not fit on the volume; make the volume larger or the file smaller"
            )
        elif self.test_size < 64 * 1024**2:
            yield f"--storage-test-size is {self.test_size} bytes; expected at least 64Mi to measure anything"
        if self.rebuild_size is not None and self.rebuild_size < 64 * 1024**2:
            yield f"--storage-rebuild size is {self.rebuild_size} bytes; expected at least 64Mi to time anything"

    def _cluster_problems(self) -> Iterator[str]:
        if self.cluster == "host":
            if options := [_option(name) for name in OF_A_CLUSTER if getattr(self, name) is not None]:
                yield (
                    "--storage-cluster host loads directories of this host with its own fio, without a cluster; found "
                    f"{', '.join(options)} as well: leave out one of them"
                )
            if self.volume_mode == "block":
                yield "--storage-volume-mode block: expected filesystem, because --storage-cluster host has directories"
            if self.access_mode != DEFAULT_MODE:
                yield (
                    f"--storage-access-mode {self.access_mode}: expected {DEFAULT_MODE}, because --storage-cluster "
                    "host has directories"
                )
        elif (self.kubeconfig or self.context) and self.cluster not in (None, "kubeconfig"):
            yield (
                "--storage-kubeconfig and --storage-context select an existing cluster, --storage-cluster "
                f"{self.cluster} another one; give one of them"
            )
        for name in OF_AN_EMBEDDED_CLUSTER:
            if getattr(self, name) is not None and self.cluster_kind not in (None, "embedded"):
                yield (
                    f"{_option(name)} {getattr(self, name)} selects an embedded cluster, --storage-cluster "
                    f"{self.cluster_kind} another one; give one of them"
                )

    def _class_problems(self, unread: Collection[str]) -> Iterator[str]:
        if self.cluster == "host":
            if not self.storage_class and "storage_class" not in unread:
                yield "--storage-class: expected a directory, found none; --storage-cluster host has no default class"
            directories = dict.fromkeys((*self.storage_class, *filter(None, [self.class_beside])))
            for path, twin in same_directories(list(directories)):
                yield f"directories {path} and {twin} are the same: expected each once, as candidate or as baseline"
        if len(set(self.storage_class)) < len(self.storage_class):
            yield f"--storage-class: expected each class once, found {', '.join(self.storage_class)}"
        if self.class_beside in self.storage_class:
            yield (
                f"--storage-{'compare-with' if self.compare_with else 'baseline-class'} {self.class_beside} is also a "
                "--storage-class: a class cannot be compared with itself; name another class to compare it with"
            )
        if self.baseline_class and self.compare_with:
            yield (
                f"--storage-baseline-class {self.baseline_class} judges the candidate by a comparison, "
                f"--storage-compare-with {self.compare_with} only shows one: leave out one of them"
            )

    @property
    def block(self) -> bool:
        """True if volumes are raw block devices."""
        return self.volume_mode == "block"

    def access_mode_of(self, storage_class: str) -> RunAccessMode:
        """Return the access mode of the class's volumes. The baseline is local storage, which has no other mode."""
        return DEFAULT_MODE if storage_class == self.baseline_class else self.access_mode

    @property
    def template(self) -> PodTemplate:
        """The additions to every pod, besides its needs."""
        return self.pod_template or PodTemplate()

    @property
    def cluster_kind(self) -> ClusterKind | None:
        """The kind of cluster that the user named; None if none was named."""
        return "kubeconfig" if self.kubeconfig or self.context else self.cluster

    @property
    def maker(self) -> Maker | None:
        """The program that creates the cluster for the run; None if the cluster exists."""
        return next((maker for maker in MAKERS if maker == self.cluster_kind), None)

    @property
    def embedded_name(self) -> str:
        """The name of the embedded cluster, if one is used."""
        return self.embedded or "default"

    @property
    def class_beside(self) -> str | None:
        """The class that candidates are measured in turn with, even if the comparison is not judged."""
        return self.baseline_class or self.compare_with

    @property
    def classes(self) -> tuple[str | None, ...]:
        """The candidate classes; None for the cluster's default class."""
        return self.storage_class or (None,)


def read_settings(values: Mapping[str, Any]) -> Settings:
    """Return settings from the option values that the user has set. Raises WrongUsage with all errors together."""
    try:
        return Settings(**values)
    except ValidationError as error:
        problems = error.errors()
    wrong = {str(problem["loc"][0]) for problem in problems if problem["loc"]}
    if wrong:
        # Values that are valid separately may still contradict each other. Of two sizes, neither is checked alone.
        wrong |= SIZES if wrong & SIZES else set()
        try:
            Settings.model_validate(
                {name: value for name, value in values.items() if name not in wrong}, context=frozenset(wrong)
            )
        except ValidationError as error:
            problems += [problem for problem in error.errors() if not problem["loc"]]
    raise WrongUsage("\n".join(_line(problem) for problem in problems))


def _line(error: Any) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return message
    return f"{_option(str(error['loc'][0]))}: {message}"


def _option(name: str) -> str:
    return BY_KEY[name].spelling
