"""Attachments of volumes to nodes, as far as the suite looks at them; only CSI drivers that attach have them."""

from __future__ import annotations

from acceptance.cluster.resources import Object


def slim_attachment(attachment: Object) -> Object:
    """Which volume it is of, whether it is done, what holds it. Clusters have many, and they are not told apart."""
    kept = ("name", "uid", "resourceVersion", "finalizers")
    source = attachment["spec"].get("source") or {}
    return {
        "metadata": {key: attachment["metadata"][key] for key in kept if key in attachment["metadata"]},
        "spec": {"source": {"persistentVolumeName": source.get("persistentVolumeName")}},
        "status": {"attached": bool((attachment.get("status") or {}).get("attached"))},
    }
