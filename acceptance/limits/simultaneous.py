"""The sections of a tier on things at the same time: operations of different kinds, volumes of a node, drained pods."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from acceptance.limits.sections import Bound, declare_section, entry_of

_Count, _Pods = Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]

_DRAIN_OF_MANY_TEXT = (
    "The longest time (s) allowed from the eviction of several pods of a node until all of their volumes are elsewhere."
)
DRAIN_OF_MANY = declare_section(
    "drain_of_many",
    "`{time: {at_most: 10min, because: ...}}`",
    {
        "time": Bound(
            entry=entry_of("DrainOfManyLimit", _DRAIN_OF_MANY_TEXT),
            path="drain_of_many.time",
            words="time until the volumes of several drained pods are used on other nodes: {wanted}",
        )
    },
    profile="drain",
    asked_with={"drained_pods"},
    of_figures=True,
)
_NODE_VOLUMES_TEXT = "The number of volumes that pods of one node must be able to use at the same time."
NODE_VOLUMES = declare_section(
    "node_volumes",
    "`{used: {at_least: 50, because: ...}}`",
    {
        "used": Bound(
            entry=entry_of("NodeVolumesLimit", _NODE_VOLUMES_TEXT, _Pods, side="at_least"),
            unit="count",
            path="node_volumes.used",
            words="volumes used on one node at the same time: {wanted}",
        )
    },
    profile="volume",
    asked_with={"node_volumes"},
    of_figures=True,
)
_MIXED_FAILED_TEXT = "The largest number allowed to fail of operations of different kinds at the same time."
_MIXED_SLOWEST_TEXT = "The longest time (s) allowed for one of them."
_MIXED_GAP_TEXT = "The longest time (s) allowed meanwhile between two durable records on another volume."
MIXED_OPERATIONS = declare_section(
    "mixed_operations",
    "`{failed: {at_most: 0, because: ...}, slowest: ..., write_gap: ...}`",
    {
        "failed": Bound(
            entry=entry_of("MixedFailedLimit", _MIXED_FAILED_TEXT, _Count),
            unit="count",
            counts=True,
            path="mixed_operations.failed",
            words="failed operations of different kinds at the same time: {wanted}",
        ),
        "slowest": Bound(
            entry=entry_of("MixedSlowestLimit", _MIXED_SLOWEST_TEXT),
            path="mixed_operations.slowest",
            words="slowest of the operations of different kinds at the same time: {wanted}",
        ),
        "write_gap": Bound(
            entry=entry_of("MixedWriteGapLimit", _MIXED_GAP_TEXT),
            path="mixed_operations.write_gap",
            words="longest gap in durable writes during operations of different kinds: {wanted}",
        ),
    },
    profile="mixed-operations",
    asked_with={"operations"},
    of_figures=True,
)
