"""Which nodes a CSI driver is registered on, from Kubernetes' own CSINode objects; pure."""

from collections.abc import Sequence
from typing import Any


def nodes_with(driver: str, csi_nodes: Sequence[dict[str, Any]]) -> set[str]:
    """The nodes whose kubelet knows the CSI driver of that name."""
    return {
        node["metadata"]["name"]
        for node in csi_nodes
        if any(each["name"] == driver for each in node["spec"].get("drivers") or [])
    }
