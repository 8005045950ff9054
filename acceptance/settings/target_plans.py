"""The commands of a target file, as they are run: what may stand in their braces, and how long each may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PLACEHOLDERS = ("volume", "claim", "namespace", "storage_class", "node", "size")
"""what may stand in braces in a word of a command that is about a volume"""
MOUNT_PLACEHOLDERS = ("node", "volume")
"""the same of a command that is about a volume on a node"""
TRIM_PLACEHOLDERS = ("volume", "claim", "namespace", "node")
"""the same of the command that trims a volume where a pod has it"""
NODE_PLACEHOLDERS = ("node",)
"""the same of a command that is about a node"""


@dataclass(frozen=True, kw_only=True)
class CommandPlan:
    """How replicas are rebuilt: the commands, word by word. `timeout_s`: how long each may take.

    `resolution_s`: how old what `healthy` and `progress` tell may be.
    """

    trigger: Sequence[str]
    healthy: Sequence[str]
    progress: Sequence[str] = ()
    restore: Sequence[str] = ()
    timeout_s: float = 60.0
    resolution_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class NodeFailurePlan:
    """How a node fails and comes back: the commands, word by word.

    `timeout_s`: how long each may take, and the node to be Ready again. `out_of_service`: whether it may be tainted so
    while it is away, which takes the pods of others off it, too.
    """

    fail: Sequence[str]
    restore: Sequence[str]
    timeout_s: float
    out_of_service: bool = False


@dataclass(frozen=True, kw_only=True)
class PoolPlan:
    """What tells how much the storage's pool has used: the command, word by word, which prints bytes.

    `trim` is the command that has the storage take back what the file system of a volume no longer uses; empty: there
    is none. `timeout_s`: how long each may take.
    """

    used: Sequence[str]
    trim: Sequence[str] = ()
    timeout_s: float


@dataclass(frozen=True, kw_only=True)
class KubeletPlan:
    """How the kubelet of a node is stopped and started, while pods run on, and what shows mounts of a volume there.

    `timeout_s`: how long each command may take, and the node to be Ready again.
    """

    stop: Sequence[str]
    start: Sequence[str]
    mounted: Sequence[str]
    timeout_s: float

    @property
    def outage(self) -> NodeFailurePlan:
        """The same as a node that fails, of which only the kubelet does."""
        return NodeFailurePlan(fail=self.stop, restore=self.start, timeout_s=self.timeout_s)
