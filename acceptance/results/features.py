"""What a class was seen to be able to do: the models behind `capabilities` in `results.json`.

They import no model of the results that holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    "entries",
    "rights",
    "expansion-offline",
    "expansion-new-pod",
    "block-expansion",
    "restore-larger",
    "clone-larger",
    "restore-beside",
    "clone-beside",
    "restore-read-only",
    "clone-read-only",
    "parallel-clones",
    "clone-times",
    "block-snapshot",
    "block-clone",
    "snapshot-rounds",
    "two-volumes",
    "two-modes",
    "one-pod",
    "read-only-many",
    "shared-block",
    "protection",
    "ephemeral",
    "mount-options",
    "group-policy",
    "statistics",
    "node-limit",
    "topology",
    "sub-path",
    "modification",
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
    "rights": "Rights of files by user and group hold on other nodes (RWX)",
    "entries": "A folder of up to 100,000 entries is listed whole on other nodes (RWX)",
    "expansion-offline": "Volumes grow while no pod uses them",
    "expansion-new-pod": "Volumes grow for a pod that is made anew meanwhile",
    "block-expansion": "Raw block volumes grow while they are used",
    "restore-larger": "Snapshots are restored to a larger volume",
    "clone-larger": "Volumes are cloned to a larger one",
    "restore-beside": "A volume and its restored snapshot are used on one node at once",
    "clone-beside": "A volume and its clone are used on one node at once",
    "restore-read-only": "Snapshots are restored for reading only (ROX)",
    "clone-read-only": "Volumes are cloned for reading only (ROX)",
    "parallel-clones": "Several clones of a volume are made at once",
    "clone-times": "Clones are told to be copies or references",
    "block-snapshot": "Snapshots of raw block volumes are taken and restored",
    "block-clone": "Raw block volumes are cloned",
    "snapshot-rounds": "Snapshots are taken and deleted again and again",
    "two-volumes": "A pod uses two volumes",
    "two-modes": "A pod uses a file system and a raw block volume",
    "one-pod": "A volume is one pod's alone (ReadWriteOncePod)",
    "read-only-many": "Several nodes read a volume at once (ROX)",
    "shared-block": "Several nodes use a raw block volume at once (RWX)",
    "protection": "Volumes in use outlast the deletion of their PVC",
    "ephemeral": "Volumes come and go with a pod (generic ephemeral)",
    "mount-options": "Mount options reach the mount",
    "group-policy": "fsGroupChangePolicy is kept",
    "statistics": "The kubelet tells how full a volume is",
    "node-limit": "A node takes as many volumes as its driver says",
    "topology": "Volumes are where the class allows them (allowedTopologies)",
    "sub-path": "Pods have a folder of a volume (subPath)",
    "modification": "Attributes of volumes are changed while they are used (VolumeAttributesClass)",
}
NEEDS: Mapping[Capability, Capability] = {
    "expansion-offline": "expansion",
    "expansion-new-pod": "expansion",
    "block-expansion": "expansion",
    "restore-larger": "snapshot",
    "restore-beside": "snapshot",
    "restore-read-only": "snapshot",
    "block-snapshot": "snapshot",
    "snapshot-rounds": "snapshot",
}
"""what a class lacks, too, where it lacks another capability"""
OF_DEVICES: frozenset[Capability] = frozenset({"block-expansion", "block-snapshot", "block-clone", "shared-block"})
"""those that are about raw block volumes alone"""
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
