"""What a class was seen to be able to do: the models behind `capabilities` in `results.json`.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen

Capability = Literal[
    "expansion",
    "snapshot",
    "clone",
    "shared",
    "fs-group",
    "read-only",
    "locks",
    "appends",
    "visibility",
    "one-pod",
    "read-only-many",
    "shared-block",
    "protection",
    "ephemeral",
    "mount-options",
    "group-policy",
    "statistics",
    "node-limit",
]
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)
TITLES: dict[Capability, str] = {
    "expansion": "Volumes grow while they are used",
    "snapshot": "Snapshots are taken and restored",
    "clone": "Volumes are cloned",
    "shared": "Several nodes use a volume at once (RWX)",
    "fs-group": "Volumes are given to a pod's group (fsGroup)",
    "read-only": "Volumes are mounted read-only",
    "locks": "Locks of files hold between nodes (RWX)",
    "appends": "Several nodes append to a file (RWX)",
    "visibility": "Renamed and fsynced files show on other nodes (RWX)",
    "one-pod": "A volume is one pod's alone (ReadWriteOncePod)",
    "read-only-many": "Several nodes read a volume at once (ROX)",
    "shared-block": "Several nodes use a raw block volume at once (RWX)",
    "protection": "Volumes in use outlast the deletion of their PVC",
    "ephemeral": "Volumes come and go with a pod (generic ephemeral)",
    "mount-options": "Mount options reach the mount",
    "group-policy": "fsGroupChangePolicy is kept",
    "statistics": "The kubelet tells how full a volume is",
    "node-limit": "A node takes as many volumes as its driver says",
}
CapabilityStatus = Literal["seen", "missing", "failed", "not_tried"]


class CapabilityRecord(Frozen):
    """One capability of one class."""

    storage_class: str
    capability: Capability
    status: CapabilityStatus = Field(
        description="seen: the class did what it must; missing: the class does not have it; failed: the class has it, "
        "and it did not do what it must; not_tried: nothing is known",
    )
    how: str = Field(description="how the suite found that out, in words")
