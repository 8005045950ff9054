"""NFS clients on Longhorn's nodes, as Longhorn reports them: nodes need one to mount its shared volumes.

The suite checks this before it creates such a volume. Observed with Longhorn 1.10.0 on nodes without a client and
without an NFS server in its image: the pod never started, and one manager after the other ended in a nil pointer until
the volume was deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import GROUP, LONGHORN_NODES, VERSION
from acceptance.cluster.permissions import Permission, may
from acceptance.results.clusters import StorageClass
from acceptance.settings.target_file import LONGHORN_DRIVER, LONGHORN_NAMESPACE

CONDITION = "NFSClientInstalled"
"""A condition of Longhorn's nodes since 1.7; source: `NodeConditionTypeNFSClientInstalled` of longhorn-manager."""


def why_not_shared(api: Api, storage_class: StorageClass) -> str | None:
    """Return why a volume of an access mode for several nodes cannot be used; None if nothing is known against it.

    Longhorn makes such volumes shares, also those that are raw block or read-only, unless they are migratable
    (`requiresSharedAccess` in csi/util.go of longhorn-manager). Nothing is known of other provisioners, nor if the
    account may not list Longhorn's nodes.
    """
    permissions = [Permission(resource=LONGHORN_NODES, verbs=("list",), namespace=LONGHORN_NAMESPACE)]
    if storage_class.provisioner != LONGHORN_DRIVER or storage_class.parameters.get("migratable") == "true":
        return None
    if VERSION not in api.group_versions(GROUP):
        return None
    return too_few_clients(api.list(LONGHORN_NODES, namespace=LONGHORN_NAMESPACE)) if may(api, permissions) else None


def too_few_clients(nodes: Sequence[dict[str, Any]]) -> str | None:
    """Return Longhorn's reason if fewer than two of its nodes have a client, else None.

    A node without the condition counts as a node with a client.
    """
    without = {
        str(node["metadata"]["name"]): str(condition.get("message") or condition.get("reason") or "no reason given")
        for node in nodes
        for condition in (node.get("status") or {}).get("conditions") or []
        if condition.get("type") == CONDITION and condition.get("status") == "False"
    }
    if not without or len(nodes) - len(without) >= 2:
        return None
    # The message lists the kernel's options in no order, so the same reason differs from node to node: one is enough.
    first = min(without)
    nodes_without = ", ".join(sorted(without))
    return f"Longhorn finds no NFS client (required for shared volumes) on {nodes_without}: {without[first]}"
