"""Attachments of volumes to nodes, as far as the suite looks at them; only CSI drivers that attach have them."""

from __future__ import annotations

from acceptance.cluster.objects import slim_metadata
from acceptance.cluster.resources import Object


def slim_attachment(attachment: Object) -> Object:
    """Which volume it is of, whether it is done, what holds it. Clusters have many, and they are not told apart."""
    source = attachment["spec"].get("source") or {}
    return {
        "metadata": slim_metadata(attachment, "finalizers"),
        "spec": {"source": {"persistentVolumeName": source.get("persistentVolumeName")}},
        "status": {"attached": bool((attachment.get("status") or {}).get("attached"))},
    }
