"""Longhorn's objects in the API server: which settings change a rebuild, one volume with its parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import ENGINES, LONGHORN_VOLUMES, REPLICAS, SETTINGS
from acceptance.cluster.resources import Object
from acceptance.text.errors import Unsupported
from acceptance.trials.rebuild.longhorn_objects import DATA_ENGINE, LonghornView

OF_VOLUME = "longhornvolume"
"""the label that names the volume of an engine or a replica"""

REBUILD_LIMIT = "concurrent-replica-rebuild-per-node-limit"
SOFT_ANTI_AFFINITY = "replica-soft-anti-affinity"
CLEANUP = "auto-cleanup-system-generated-snapshot"
"""whether snapshots are coalesced before a rebuild, which then waits for that, and after it"""
INFLUENCES = (
    REBUILD_LIMIT,
    "replica-replenishment-wait-interval",
    "fast-replica-rebuild-enabled",
    "offline-replica-rebuilding",
    "long-grpc-timeout",
    "replica-file-sync-http-client-timeout",
    CLEANUP,
    SOFT_ANTI_AFFINITY,
)
"""the settings that change how long a rebuild takes, or whether there is one"""

Trigger = Literal["further-replica", "deleted-replica"]


def longhorn_settings(
    api: Api, namespace: str, *, names: Sequence[str] = INFLUENCES, data_engine: str = DATA_ENGINE
) -> dict[str, str]:
    """Settings by name, those that influence a rebuild unless others are asked for; those that this Longhorn has."""
    found: dict[str, Object] = {str(each["metadata"]["name"]): each for each in api.list(SETTINGS, namespace=namespace)}
    return {name: setting_of(str(found[name].get("value", "")), data_engine) for name in names if name in found}


def setting_of(value: str, data_engine: str) -> str:
    """What a setting is for a data engine: since Longhorn 1.10 some are JSON, `{"v1":"true","v2":"false"}`.

    As it is written where it says nothing of that engine.
    """
    try:
        by_engine = json.loads(value)
    except ValueError:
        return value
    return str(by_engine.get(data_engine, value)) if isinstance(by_engine, dict) else value


def longhorn_view(api: Api, name: str, *, namespace: str) -> LonghornView:
    """The Longhorn volume with its engines and replicas, as they are now."""
    labels = f"{OF_VOLUME}={name}"
    return LonghornView(
        volume=api.get(LONGHORN_VOLUMES, name, namespace=namespace),
        engines=api.list(ENGINES, namespace=namespace, labels=labels),
        replicas=api.list(REPLICAS, namespace=namespace, labels=labels),
    )


def one_copy(storage_class: str) -> Unsupported:
    """The error that says that there is nothing to rebuild."""
    return Unsupported(
        f"capability 'replicas': StorageClass {storage_class} keeps one copy of its data (numberOfReplicas 1), so "
        "that nothing can be rebuilt"
    )
