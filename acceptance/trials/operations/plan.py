"""What is asked for at once: so many of each operation, so often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from acceptance.results.operations import Operation
from acceptance.text.quantities import parse_size

VOLUME_SIZE = parse_size("1Gi")
GROWN = 2 * VOLUME_SIZE
# Next to nothing: it is the number of pods that is asked for at once, not what they do.
REQUESTS: Mapping[str, str] = {"cpu": "10m", "memory": "16Mi"}
# The shell is the first process of its container, which no signal ends by default.
COMMAND = ["sh", "-c", "trap 'exit 0' TERM\nwhile :; do sleep 3600 & wait $!; done\n"]
STAGES = 10
"""the most that a pod lives through, each as long as an operation may take"""

NEEDS: Mapping[Operation, frozenset[Operation]] = {
    "attach": frozenset({"start"}),
    "mount": frozenset({"start"}),
    "restore": frozenset({"snapshot"}),
    "expand": frozenset({"start"}),
}
"""What must be done for an operation beside the volumes, which are bound and deleted in any case. A file system grows
where it is mounted."""


@dataclass(frozen=True, kw_only=True)
class OperationSettings:
    """`wanted`: what is timed; `count`: of each so many at least, in rounds of `at_once`.

    `timeout_s`: an operation that takes longer has failed. `node`: where pods run, None leaves it to the scheduler.
    """

    at_once: int
    count: int
    wanted: frozenset[Operation]
    timeout_s: float
    node: str | None = None
    block: bool = False

    @property
    def rounds(self) -> int:
        """How often so many are asked for at once."""
        return max(1, math.ceil(self.count / self.at_once))

    @property
    def done(self) -> frozenset[Operation]:
        """All that is done for what is wanted."""
        return self.wanted.union(*(NEEDS.get(each, frozenset()) for each in self.wanted)) | {"bind", "delete"}
