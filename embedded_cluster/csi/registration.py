"""The nodes on which a CSI driver is registered, from Kubernetes' own CSINode objects; pure."""

from collections.abc import Sequence
from typing import Any


def nodes_with(driver: str, csi_nodes: Sequence[dict[str, Any]]) -> set[str]:
    """Return the nodes whose kubelet knows the CSI driver of that name."""
    return {
        node["metadata"]["name"]
        for node in csi_nodes
        if any(entry["name"] == driver for entry in node["spec"].get("drivers") or [])
    }
