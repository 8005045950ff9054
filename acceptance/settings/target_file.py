"""The target file: known facts of a storage, and commands for rebuilds and node failures; as strict as the limits."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from acceptance.results.crashes import Failure
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.known_storage import KnownStorage, Statement
from acceptance.settings.strict_file import read_strict, say
from acceptance.settings.target_plans import (
    MOUNT_PLACEHOLDERS,
    NODE_PLACEHOLDERS,
    PLACEHOLDERS,
    TRIM_PLACEHOLDERS,
    CommandPlan,
    DisturbancePlan,
    KubeletPlan,
    NodeFailurePlan,
    PoolPlan,
)
from acceptance.settings.target_settings import Strict, TargetSettings, time_s
from acceptance.settings.targets import target_path
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import parse_size

LONGHORN_DRIVER = "driver.longhorn.io"
LONGHORN_NAMESPACE = "longhorn-system"
ROOK_NAMESPACE = "rook-ceph"
TOOLBOX = "app=rook-ceph-tools"


def _words(placeholders: Sequence[str]) -> Callable[[Any], tuple[str, ...]]:
    """Return a function that reads a command word by word and admits only these placeholders in braces."""

    def words(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value) or not value[0]:
            raise ValueError(f"expected a command as a list of its words, all of them text, found {value!r}")
        for word in value:
            try:
                names = {name for _, name, *_ in string.Formatter().parse(word) if name is not None}
            except ValueError as error:
                raise ValueError(
                    f"expected braces around a placeholder, or doubled ones, found {word!r}: {error}"
                ) from None
            if unknown := names - set(placeholders):
                available = ", ".join(f"{{{name}}}" for name in placeholders) or "none"
                unknown_names = ", ".join(sorted(unknown)) or "{}"
                raise ValueError(f"expected placeholders of {available}, found {unknown_names} in {word!r}")
        return tuple(value)

    return words


Command = Annotated[tuple[str, ...], BeforeValidator(_words(PLACEHOLDERS))]
NodeCommand = Annotated[tuple[str, ...], BeforeValidator(_words(NODE_PLACEHOLDERS))]
MountCommand = Annotated[tuple[str, ...], BeforeValidator(_words(MOUNT_PLACEHOLDERS))]
TrimCommand = Annotated[tuple[str, ...], BeforeValidator(_words(TRIM_PLACEHOLDERS))]
PlainCommand = Annotated[tuple[str, ...], BeforeValidator(_words(()))]
Time = Annotated[float, BeforeValidator(time_s)]
Times = Annotated[tuple[Time, ...], Field(min_length=1)]


class CommandTarget(Strict):
    """`driver: command`: the commands of the user."""

    driver: Literal["command"]
    trigger: Command
    healthy: Command
    progress: Command = ()
    restore: Command = ()
    timeout: Time = 60.0
    resolution: Time = 0.0

    @property
    def plan(self) -> CommandPlan:
        """The commands that the driver runs."""
        return CommandPlan(
            trigger=self.trigger,
            healthy=self.healthy,
            progress=self.progress,
            restore=self.restore,
            timeout_s=self.timeout,
            resolution_s=self.resolution,
        )


class LonghornTarget(Strict):
    """`driver: longhorn`. Without `trigger`: a further replica if a node has room for one, else a deleted one."""

    driver: Literal["longhorn"] = "longhorn"
    namespace: str = LONGHORN_NAMESPACE
    trigger: Literal["further-replica", "deleted-replica"] | None = None


class CephTarget(Strict):
    """`driver: ceph`. It takes an OSD out and in again, which moves the data of all users of the OSD."""

    driver: Literal["ceph"]
    namespace: str = ROOK_NAMESPACE
    toolbox: str = TOOLBOX
    osd: Annotated[int, Field(ge=0, strict=True)]
    may_move_other_data: Literal[True]


RebuildTarget = Annotated[CommandTarget | LonghornTarget | CephTarget, Field(discriminator="driver")]


class NodeFailureTarget(Strict):
    """`node_failure`: the commands that make a node fail, and restore it."""

    fail: NodeCommand
    restore: NodeCommand
    timeout: Time = 300.0
    out_of_service: bool = False

    @property
    def plan(self) -> NodeFailurePlan:
        """The commands that an outage runs, and its permissions."""
        return NodeFailurePlan(
            fail=self.fail, restore=self.restore, timeout_s=self.timeout, out_of_service=self.out_of_service
        )


class KubeletTarget(Strict):
    """`kubelet`: the commands that stop and start a node's kubelet; `mounted` prints a volume's mounts, one a line."""

    stop: NodeCommand
    start: NodeCommand
    mounted: MountCommand = ()
    timeout: Time = 300.0

    @property
    def plan(self) -> KubeletPlan:
        """The commands that a trial runs."""
        return KubeletPlan(stop=self.stop, start=self.start, mounts=self.mounted, timeout_s=self.timeout)


class NodeDisturbanceTarget(Strict):
    """A key of `disturb`: the commands that disturb the node of the writing pod, and restore it."""

    run: NodeCommand
    restore: NodeCommand
    timeout: Time = 300.0

    @property
    def plan(self) -> DisturbancePlan:
        """The commands that a trial runs."""
        return DisturbancePlan(run=self.run, restore=self.restore, durations_s=(), timeout_s=self.timeout)


class DisturbanceTarget(NodeDisturbanceTarget):
    """The same, each time for one of `durations`."""

    durations: Times = (10.0,)

    @property
    def plan(self) -> DisturbancePlan:
        """The commands that a trial runs."""
        return replace(super().plan, durations_s=sorted(self.durations))


class RestartTarget(DisturbanceTarget):
    """`restart`: the same for each of `nodes`, one after the other."""

    nodes: Annotated[tuple[str, ...], Field(min_length=1)]

    @property
    def plan(self) -> DisturbancePlan:
        """The commands that a trial runs."""
        return replace(super().plan, nodes=self.nodes)


class DisturbTarget(Strict):
    """`disturb`: the disturbances, by the keys in `acceptance/results/disturbances.py`."""

    interrupt: DisturbanceTarget | None = None
    restart: RestartTarget | None = None
    restart_together: RestartTarget | None = None
    shutdown: NodeDisturbanceTarget | None = None
    cut: NodeDisturbanceTarget | None = None

    @property
    def plans(self) -> dict[Failure, DisturbancePlan]:
        """The commands by the crash that they cause."""
        targets = {failure: getattr(self, disturbance.key) for failure, disturbance in DISTURBANCES.items()}
        return {failure: target.plan for failure, target in targets.items() if target is not None}

    @model_validator(mode="after")
    def _disturbs_something(self) -> Self:
        if not self.plans:
            keys = ", ".join(disturbance.key for disturbance in DISTURBANCES.values())
            raise ValueError(f"expected at least one disturbance, found none; available: {keys}")
        return self


class PoolTarget(Strict):
    """`pool`: the command that prints the used bytes in the pool of the class's volumes; `trim` trims a volume."""

    used: PlainCommand
    trim: TrimCommand = ()
    timeout: Time = 60.0

    @property
    def plan(self) -> PoolPlan:
        """The commands that a trial runs."""
        return PoolPlan(usage=self.used, trim=self.trim, timeout_s=self.timeout)


class CacheTarget(Strict):
    """`cache`: the part of the storage that is faster than its disks. `size` in bytes."""

    size: Annotated[int, BeforeValidator(parse_size)]
    source: str


class Target(Strict):
    """The complete file: it has at least one key besides `about`.

    Readers should know `caveats` before they read figures; `limits` are quoted from the storage's documentation. Both
    are shown, and nothing is judged by them. No sustained load passes if a `cache` holds the test file.
    """

    about: str | None = None
    settings: TargetSettings = TargetSettings()
    caveats: tuple[Statement, ...] = ()
    limits: tuple[Statement, ...] = ()
    cache: CacheTarget | None = None
    rebuild: RebuildTarget | None = None
    node_failure: NodeFailureTarget | None = None
    kubelet: KubeletTarget | None = None
    disturb: DisturbTarget | None = None
    pool: PoolTarget | None = None

    @property
    def known_storage(self) -> KnownStorage:
        """The statements on the storage, for the results."""
        return KnownStorage(about=self.about, caveats=list(self.caveats), limits=list(self.limits))

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        does = self.rebuild or self.node_failure or self.kubelet or self.disturb or self.pool
        if not (does or self.settings.explicit_values or self.cache or self.caveats or self.limits):
            raise ValueError(
                "expected rebuild, node_failure, kubelet, disturb, pool, settings, cache, caveats or limits, found "
                "none of them; add one"
            )
        return self


def read_target(path: Path) -> Target:
    """Return the content of the target file. Raises WrongUsage with all problems, each with its line."""
    return read_strict(
        path,
        Target,
        expectation="--storage-target: expected a readable target file",
        describe=_say,
        not_keys=("command", "longhorn", "ceph"),
    )


def of_target(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the target among the option values; none without a target, or if it cannot be read.

    The problems of the file are reported by the code that needs the target itself.
    """
    try:
        return read_target(target_path(values["target"])).settings.explicit_values if values.get("target") else {}
    except (ValueError, WrongUsage):
        return {}


def _say(error: Any) -> str:
    if error["loc"][-1:] == ("may_move_other_data",) and error["type"] not in ("missing", "extra_forbidden"):
        return (
            f"expected true, found {error['input']!r}: taking an OSD out moves data of everyone who stores on it; "
            "set true if that is allowed"
        )
    return say(error)
