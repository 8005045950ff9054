"""The commands of a target file, as they are run: their placeholders, and the maximum time of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PLACEHOLDERS = ("volume", "claim", "namespace", "storage_class", "node", "size")
"""The placeholders in braces in a word of a command that is about a volume."""
MOUNT_PLACEHOLDERS = ("node", "volume")
"""The placeholders of a command that is about a volume on a node."""
TRIM_PLACEHOLDERS = ("volume", "claim", "namespace", "node")
"""The placeholders of the command that trims a volume on the node of its pod."""
NODE_PLACEHOLDERS = ("node",)
"""The placeholders of a command that is about a node."""


@dataclass(frozen=True, kw_only=True)
class CommandPlan:
    """The commands that rebuild replicas, word by word. `timeout_s`: the maximum time of each.

    `resolution_s`: the maximum age of the state that `healthy` and `progress` report.
    """

    trigger: Sequence[str]
    healthy: Sequence[str]
    progress: Sequence[str] = ()
    restore: Sequence[str] = ()
    timeout_s: float = 60.0
    resolution_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class NodeFailurePlan:
    """The commands that make a node fail and restore it, word by word.

    `timeout_s`: the maximum time of each, and of the node to be Ready again. `out_of_service`: the node may be tainted
    as out of service while it is away, which also removes the pods of others from it.
    """

    fail: Sequence[str]
    restore: Sequence[str]
    timeout_s: float
    out_of_service: bool = False


@dataclass(frozen=True, kw_only=True)
class DisturbancePlan:
    """The commands that disturb the storage and restore it, word by word; once for each of `durations_s`.

    `nodes`: the nodes that they disturb, one after the other; none for the storage as a whole. `timeout_s`: the maximum
    time of each command, and of a node to be Ready again.
    """

    run: Sequence[str]
    restore: Sequence[str]
    durations_s: Sequence[float]
    timeout_s: float
    nodes: Sequence[str] = ()

    @property
    def outage(self) -> NodeFailurePlan:
        """The commands as those of a node failure."""
        return NodeFailurePlan(fail=self.run, restore=self.restore, timeout_s=self.timeout_s)

    @property
    def names_node(self) -> bool:
        """Whether a command depends on the node of the writing pod."""
        return any("{node}" in word for word in (*self.run, *self.restore))


@dataclass(frozen=True, kw_only=True)
class PoolPlan:
    """The command that reports the used space of the storage's pool, word by word; it prints bytes.

    `trim` is the command that returns space to the storage that the file system of a volume no longer uses; empty if
    there is none. `timeout_s`: the maximum time of each.
    """

    usage: Sequence[str]
    trim: Sequence[str] = ()
    timeout_s: float


@dataclass(frozen=True, kw_only=True)
class KubeletPlan:
    """The commands that stop and start a node's kubelet, while its pods run on, and that print a volume's mounts there.

    `timeout_s`: the maximum time of each command, and of the node to be Ready again.
    """

    stop: Sequence[str]
    start: Sequence[str]
    mounts: Sequence[str]
    timeout_s: float

    @property
    def outage(self) -> NodeFailurePlan:
        """The commands as a node failure, in which only the kubelet fails."""
        return NodeFailurePlan(fail=self.stop, restore=self.start, timeout_s=self.timeout_s)
