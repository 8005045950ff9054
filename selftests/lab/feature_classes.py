"""Classes whose volumes can do everything, and the ways to get it wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PROVISIONER = "features.lab.storage-acceptance"
Fault = Literal[
    "grows in name only",
    "snapshots are taken late",
    "snapshots are empty",
    "snapshots never get ready",
    "clones share",
    "forgets groups",
    "has mounts inside",
    "shows each node its own",
]
# These need the node to follow links and mounts within the volume, as it does for a plain folder of the host only.
OF_PLAIN_FOLDERS: tuple[Fault, ...] = ("has mounts inside", "shows each node its own")


@dataclass(frozen=True, kw_only=True)
class FeatureClass:
    """A StorageClass. `fault`: what its volumes do wrong; None: nothing."""

    name: str
    fault: Fault | None = None
