"""The topologies of volumes: the nodes that a class allows, and the zones in which a driver places volumes. Pure.

Sources: https://kubernetes.io/docs/concepts/storage/storage-classes/#allowed-topologies, and
https://kubernetes-csi.github.io/docs/topology.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]

# Part of the keys of drivers whose volumes are usable in one place of a cloud. Keys that name single nodes have none of
# these: such volumes are local, or each node reaches them over the network.
_OF_A_PLACE = re.compile(r"zone|region|location|datacenter", re.IGNORECASE)
ZONE = "topology.kubernetes.io/zone"
# Names of in-tree provisioners, which have no driver of this name on any node. Their volumes are zonal.
_IN_TREE = {"kubernetes.io/aws-ebs", "kubernetes.io/azure-disk", "kubernetes.io/cinder", "kubernetes.io/gce-pd"}


def allows(term: Object, node: Object) -> bool:
    """Return whether a node has one of the values for each label of the term, a TopologySelectorTerm of Kubernetes."""
    labels = node["metadata"].get("labels") or {}
    return all(
        labels.get(label_expression["key"]) in label_expression["values"]
        for label_expression in term.get("matchLabelExpressions") or []
    )


def zones_of(
    provisioner: str, *, terms: Sequence[Object], csi_nodes: Sequence[Object], nodes: Sequence[Object]
) -> tuple[str, list[str]]:
    """Return the node label by which a provisioner separates zones, and the zones among which it places volumes.

    The label is empty if it places volumes by no zone. Of several such labels, the one with the most zones is returned.

    Args:
        terms: the allowedTopologies of the class; without any, all nodes of the provisioner are allowed
    """
    keys = _keys_of(provisioner, csi_nodes)
    allowed = [
        node
        for node in nodes
        if node["metadata"]["name"] in keys and (not terms or any(allows(term, node) for term in terms))
    ]
    zones: dict[str, set[str]] = {}
    for node in allowed:
        for key in keys[node["metadata"]["name"]]:
            if zone := (node["metadata"].get("labels") or {}).get(key):
                zones.setdefault(key, set()).add(zone)
    key = max(sorted(zones), key=lambda key: len(zones[key]), default="")
    return key, sorted(zones.get(key, ()))


def _keys_of(provisioner: str, csi_nodes: Sequence[Object]) -> dict[str, list[str]]:
    """Return the labels of zones that the provisioner uses, by the name of each node on which it runs."""
    if provisioner in _IN_TREE:
        return {csi_node["metadata"]["name"]: [ZONE] for csi_node in csi_nodes}
    return {
        csi_node["metadata"]["name"]: [key for key in driver.get("topologyKeys") or () if _OF_A_PLACE.search(key)]
        for csi_node in csi_nodes
        for driver in (csi_node.get("spec") or {}).get("drivers") or ()
        if driver.get("name") == provisioner
    }
