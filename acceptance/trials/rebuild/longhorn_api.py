"""Longhorn's objects in the API server: the settings that change a rebuild, and one volume with its parts."""

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
"""The label that names the volume of an engine or a replica."""

REBUILD_LIMIT = "concurrent-replica-rebuild-per-node-limit"
SOFT_ANTI_AFFINITY = "replica-soft-anti-affinity"
CLEANUP = "auto-cleanup-system-generated-snapshot"
"""The setting that coalesces snapshots before a rebuild, which then waits for that, and after it."""
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
"""The settings that change how long a rebuild takes, or whether there is one."""

Trigger = Literal["further-replica", "deleted-replica"]


def longhorn_settings(
    api: Api, namespace: str, *, names: Sequence[str] = INFLUENCES, data_engine: str = DATA_ENGINE
) -> dict[str, str]:
    """Return settings by name, those that influence a rebuild unless others are named; only those that this Longhorn
    has."""
    settings: dict[str, Object] = {
        str(setting["metadata"]["name"]): setting for setting in api.list(SETTINGS, namespace=namespace)
    }
    return {name: setting_of(str(settings[name].get("value", "")), data_engine) for name in names if name in settings}


def setting_of(value: str, data_engine: str) -> str:
    """Return the value of a setting for a data engine: since Longhorn 1.10 some are JSON, `{"v1":"true","v2":"false"}`.

    The value is returned as it is if it does not mention that engine.
    """
    try:
        by_engine = json.loads(value)
    except ValueError:
        return value
    return str(by_engine.get(data_engine, value)) if isinstance(by_engine, dict) else value


def longhorn_view(api: Api, name: str, *, namespace: str) -> LonghornView:
    """Return the Longhorn volume with its engines and replicas, as they are now."""
    labels = f"{OF_VOLUME}={name}"
    return LonghornView(
        volume=api.get(LONGHORN_VOLUMES, name, namespace=namespace),
        engines=api.list(ENGINES, namespace=namespace, labels=labels),
        replicas=api.list(REPLICAS, namespace=namespace, labels=labels),
    )


def one_copy(storage_class: str) -> Unsupported:
    """Return the error that there is nothing to rebuild."""
    return Unsupported(
        f"capability 'replicas': StorageClass {storage_class} keeps one copy of its data (numberOfReplicas 1), so "
        "that nothing can be rebuilt"
    )
