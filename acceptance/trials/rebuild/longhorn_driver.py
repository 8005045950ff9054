"""The driver for Longhorn: replicas are added or deleted, and watched, through its objects (v1beta2)."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import (
    ENGINES,
    GROUP,
    LONGHORN_NODES,
    LONGHORN_VOLUMES,
    REPLICAS,
    SETTINGS,
    VERSION,
)
from acceptance.cluster.permissions import Permission, require_rebuild_permissions
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import TargetVolume
from acceptance.trials.rebuild.longhorn_api import REBUILD_LIMIT, Trigger, longhorn_settings, one_copy
from acceptance.trials.rebuild.longhorn_objects import DATA_ENGINE
from acceptance.trials.rebuild.longhorn_rebuild import LonghornRebuild


def longhorn_permissions(namespace: str) -> list[Permission]:
    """Return the permissions that the driver needs in Longhorn's namespace."""
    return [
        Permission(resource=LONGHORN_VOLUMES, verbs=("get", "patch"), namespace=namespace),
        Permission(resource=REPLICAS, verbs=("list", "delete"), namespace=namespace),
        *(
            Permission(resource=resource, verbs=("list",), namespace=namespace)
            for resource in (ENGINES, LONGHORN_NODES, SETTINGS)
        ),
    ]


class LonghornDriver:
    """Implements `RebuildDriver`. `trigger`: None for a further replica if a node has room for one.

    `timeout_s`: for a replica to be deleted; `move_timeout_s`: for snapshots to be coalesced after a rebuild.
    """

    name = "longhorn"
    of_one_volume = True

    def __init__(
        self,
        api: Api,
        storage_class: StorageClass,
        *,
        namespace: str,
        trigger: Trigger | None,
        timeout_s: float,
        move_timeout_s: float,
    ) -> None:
        self._api = api
        self._class = storage_class
        self._namespace = namespace
        self._trigger = trigger
        self._timeout_s = timeout_s
        self._move_timeout_s = move_timeout_s

    def require_ready(self) -> None:
        """See `RebuildDriver`."""
        versions = self._api.group_versions(GROUP)
        if VERSION not in versions:
            finding = f"{', '.join(versions)} of group {GROUP}" if versions else f"no version of group {GROUP}"
            raise EnvironmentFailure(
                f"StorageClass {self._class.name} is Longhorn's: expected API {GROUP}/{VERSION} (Longhorn 1.3 and "
                f"later), found {finding}; install or upgrade Longhorn, or name another driver with --storage-target"
            )
        require_rebuild_permissions(self._api, longhorn_permissions(self._namespace))
        if self._class.parameters.get("numberOfReplicas") == "1":
            raise one_copy(self._class.name)
        engine = self._class.parameters.get("dataEngine", DATA_ENGINE)
        if longhorn_settings(self._api, self._namespace, data_engine=engine).get(REBUILD_LIMIT) == "0":
            raise EnvironmentFailure(
                f"Longhorn's setting {REBUILD_LIMIT} is 0: no replica is ever rebuilt; set it to at least 1"
            )

    def rebuild_of(self, volume: TargetVolume) -> LonghornRebuild:
        """See `RebuildDriver`."""
        return LonghornRebuild(
            self._api,
            volume,
            namespace=self._namespace,
            trigger=self._trigger,
            timeout_s=self._timeout_s,
            move_timeout_s=self._move_timeout_s,
        )
