"""What a class was seen to be able to do: the models behind `capabilities` in `results.json`.

They import no model of the results that holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from acceptance.results.model import Frozen

TITLES: Mapping[str, str] = {
    "expansion": "Volumes grow while they are used",
    "snapshot": "Snapshots are taken and restored",
    "clone": "Volumes are cloned",
    "shared": "Several nodes use a volume at once (RWX)",
    "fs-group": "Volumes are given to a pod's group (fsGroup)",
    "read-only": "Volumes are mounted read-only",
    "locks": "Locks of files hold between nodes (RWX)",
    "appends": "Several nodes append to a file (RWX)",
    "visibility": "Renamed and fsynced files show on other nodes (RWX)",
    "entries": "A folder of up to 100,000 entries is listed whole on other nodes (RWX)",
    "rights": "Rights of files by user and group hold on other nodes (RWX)",
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
"""what volumes can do, by the name that results and options have for it; `trials/features/` declares the rest"""
CAPABILITIES = tuple(TITLES)
if TYPE_CHECKING:
    Capability = str
else:
    Capability = Literal[CAPABILITIES]  # so that files and options with another one are refused
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
