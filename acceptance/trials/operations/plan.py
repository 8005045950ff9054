"""The plan of the operations: how many of each are requested at once, and how often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from acceptance.results.operations import Operation
from acceptance.text.quantities import parse_size

VOLUME_SIZE = parse_size("1Gi")
GROWN_SIZE = 2 * VOLUME_SIZE
# Almost nothing: the number of pods that is requested at once matters, not what they do.
REQUESTS: Mapping[str, str] = {"cpu": "10m", "memory": "16Mi"}
# The shell is the first process of its container, which no signal ends by default.
COMMAND = ["sh", "-c", "trap 'exit 0' TERM\nwhile :; do sleep 3600 & wait $!; done\n"]
STAGES = 10
"""The most stages that a pod lives through, each as long as an operation may take."""

NEEDS: Mapping[Operation, frozenset[Operation]] = {
    "attach": frozenset({"start"}),
    "mount": frozenset({"start"}),
    "restore": frozenset({"snapshot"}),
    "expand": frozenset({"start"}),
}
"""The operations that must be done for another one, in addition to the volumes, which are bound and deleted in any
case. A file system grows only if it is mounted."""


@dataclass(frozen=True, kw_only=True)
class OperationSettings:
    """The settings of the operations. `operations`: those that are timed; `count`: the number of each at least, in
    rounds of `at_once`.

    `timeout_s`: an operation that takes longer has failed. `node`: where pods run, None leaves that to the scheduler.
    """

    at_once: int
    count: int
    operations: frozenset[Operation]
    timeout_s: float
    node: str | None = None
    block: bool = False

    @property
    def rounds(self) -> int:
        """The number of rounds of `at_once` requests."""
        return max(1, math.ceil(self.count / self.at_once))

    @property
    def all_operations(self) -> frozenset[Operation]:
        """All operations that are done for those that are timed."""
        return self.operations.union(*(NEEDS.get(name, frozenset()) for name in self.operations)) | {"bind", "delete"}
