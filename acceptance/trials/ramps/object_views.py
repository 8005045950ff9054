"""What a ramp keeps of nodes and claims as its watches show them."""

from __future__ import annotations

from acceptance.cluster.nodes import is_up
from acceptance.cluster.objects import slim_metadata
from acceptance.cluster.resources import Object


def slim_node(node: Object) -> Object:
    """Whether it takes pods: `up`."""
    return {"metadata": slim_metadata(node), "up": is_up(node)}


def slim_claim(claim: Object) -> Object:
    """When it was made, and the volume that it is bound to, empty while it is not."""
    bound = claim["status"].get("phase") == "Bound"
    return {
        "metadata": slim_metadata(claim),
        "created": claim["metadata"]["creationTimestamp"],
        "volume": claim["spec"].get("volumeName", "") if bound else "",
    }
