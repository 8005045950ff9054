"""Rebuilds of a replica of one Longhorn volume: triggered, watched, undone."""

from __future__ import annotations

import time
from dataclasses import replace

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import LONGHORN_NODES, LONGHORN_VOLUMES, REPLICAS
from acceptance.cluster.resources import VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import RebuildState, TargetVolume
from acceptance.trials.rebuild.longhorn_api import (
    CLEANUP,
    SOFT_ANTI_AFFINITY,
    Trigger,
    longhorn_settings,
    longhorn_view,
    one_copy,
)
from acceptance.trials.rebuild.longhorn_objects import (
    ATTACHED,
    HEALTHY,
    SWITCHED_ON,
    LonghornView,
    free_nodes,
    rebuild_state,
    rebuilt_since,
)
from acceptance.trials.rebuild.longhorn_tries import LonghornTries

RESOLUTION_S = 5.0
"""`EnginePollInterval` of longhorn-manager: so often it brings the status of an engine up to date"""
PURGE_SHOWS_S = 2 * RESOLUTION_S
"""After that a purge that began at the end of a rebuild shows; Longhorn itself waits so long before it believes that
there is none."""


class LonghornRebuild:
    """Implements `ReplicaRebuild`. A dynamically provisioned Longhorn volume is called like its PersistentVolume.

    `timeout_s`: for a replica to go; `move_timeout_s`: for snapshots to be coalesced.
    """

    resolution_s = RESOLUTION_S

    def __init__(
        self,
        api: Api,
        volume: TargetVolume,
        *,
        namespace: str,
        trigger: Trigger | None,
        timeout_s: float,
        move_timeout_s: float,
    ) -> None:
        self._api = api
        self._volume = volume
        self._namespace = namespace
        self._trigger = trigger
        self._timeout_s = timeout_s
        self._move_timeout_s = move_timeout_s
        self._before: LonghornView | None = None
        self._tries: LonghornTries | None = None
        self._readable = 0

    def require_whole(self) -> None:
        """See `ReplicaRebuild`."""
        self._whole()

    def trigger(self) -> str:
        """See `ReplicaRebuild`. What it has lost by itself since `require_whole` is seen before more is taken away."""
        view = self._before = self._whole()
        self._tries = LonghornTries(view)
        way = self._trigger or ("further-replica" if self._room_for_another(view) else "deleted-replica")
        if way == "deleted-replica":
            return self._delete_one(view)
        if not self._room_for_another(view):
            raise EnvironmentFailure(
                f"no node for another replica of Longhorn volume {view.name}: {len(view.nodes())} hold one, no other "
                f"one takes replicas, and {SOFT_ANTI_AFFINITY} is off; add a node, or set trigger: deleted-replica in "
                "the target file"
            )
        self._readable = view.wanted + 1
        self._set_count(view.wanted + 1)
        return f"numberOfReplicas raised from {view.wanted} to {view.wanted + 1}"

    def look(self) -> RebuildState:
        """See `ReplicaRebuild`. What was never triggered has no replica to begin with."""
        view = self._view()
        before = self._before or replace(view, replicas=[])
        found = rebuild_state(view, before=before, readable=self._readable)
        tries = self._tries or LonghornTries(before)
        tries.see(view)
        if not (failures := tuple(tries.failures)):
            return found
        told = f"; {len(failures)} {'try' if len(failures) == 1 else 'tries'} failed, the last: {failures[-1]}"
        return replace(found, description=f"{found.description}{told}", failures=failures)

    def obstacles(self) -> list[str]:
        """See `ReplicaRebuild`."""
        view = self._view()
        found = longhorn_settings(self._api, self._namespace, data_engine=view.data_engine)
        return [*view.complaints(), *(f"setting {name}: {value}" for name, value in found.items())]

    def restore(self) -> None:
        """See `ReplicaRebuild`: the number of replicas as before, and those gone that came beyond it."""
        if self._before is None:
            return
        before = self._before
        if self._api.find(LONGHORN_VOLUMES, before.name, namespace=self._namespace) is None:
            return
        view = self._view()
        if view.wanted != before.wanted:
            self._set_count(before.wanted)
        # Lowering the count removes none by itself. What holds all data among the others must be enough without them.
        # One that had failed before may be what Longhorn has made of the further one.
        further = self._further(view, before) if self._readable > before.wanted else set()
        if len(set(view.readable) - further) >= before.wanted:
            for name in sorted(further):
                self._api.delete(REPLICAS, name, namespace=self._namespace)
            self._wait_gone(further)
        self._before = None

    def wait_settled(self) -> None:
        """See `ReplicaRebuild`: a rebuild leaves a snapshot behind, which Longhorn then coalesces with the next one."""
        if longhorn_settings(self._api, self._namespace).get(CLEANUP) == "false":
            return
        since = time.monotonic()
        wait_for(
            f"Longhorn to have purged the snapshots of volume {self._volume.volume} after a rebuild",
            look=self._view,
            ready=lambda seen: not seen.purging and time.monotonic() - since >= PURGE_SHOWS_S,
            state=lambda seen: "purging" if seen.purging else "not purging",
            timeout_s=self._move_timeout_s,
        )

    def undo(self) -> None:
        """See `ReplicaRebuild`."""

    def settings(self) -> dict[str, str]:
        """See `ReplicaRebuild`."""
        view = self._view()
        spec = view.volume["spec"]
        of_volume = {key: str(spec[key]) for key in ("numberOfReplicas", "dataLocality", "dataEngine") if key in spec}
        return of_volume | longhorn_settings(self._api, self._namespace, data_engine=view.data_engine)

    def rebuilt_bytes(self) -> int | None:
        """See `ReplicaRebuild`."""
        return None

    def _whole(self) -> LonghornView:
        """The volume, which is the run's own and has all its replicas; raises as `require_whole` does."""
        self._require_own()
        view = self._view()
        if view.wanted == 1:
            raise one_copy(self._volume.storage_class)
        if view.state != ATTACHED:
            raise EnvironmentFailure(
                f"wanted Longhorn volume {view.name} attached, as a pod of the run uses it, found {view.state}: "
                "replicas of a detached volume are not rebuilt; see Longhorn's events of it"
            )
        if view.robustness != HEALTHY or len(view.readable) < view.wanted:
            why = "; ".join(view.complaints()) or "Longhorn gives no reason"
            raise EnvironmentFailure(
                f"wanted Longhorn volume {view.name} with {view.wanted} whole replicas before one is taken away, found "
                f"{len(view.readable)}, robustness {view.robustness}: {why}"
            )
        return view

    def _require_own(self) -> None:
        """Nothing is changed but on a volume whose PersistentVolume and Longhorn volume both name the run's claim."""
        volume = self._volume
        owner = self._api.get(VOLUMES, volume.volume)["spec"].get("claimRef") or {}
        found = self._api.find(LONGHORN_VOLUMES, volume.volume, namespace=self._namespace)
        if found is None:
            raise EnvironmentFailure(
                f"wanted Longhorn volume {volume.volume} in namespace {self._namespace}, found none; name Longhorn's "
                "namespace in the target file (--storage-target)"
            )
        known = (found.get("status") or {}).get("kubernetesStatus") or {}
        ours = (volume.namespace, volume.claim)
        claimed, noted = (owner.get("namespace"), owner.get("name")), (known.get("namespace"), known.get("pvcName"))
        if claimed != ours or noted != ours:
            raise EnvironmentFailure(
                f"Longhorn volume {volume.volume} is not that of the run's PVC {'/'.join(ours)}: its "
                f"PV is claimed by {'/'.join(map(str, claimed))}, Longhorn knows "
                f"{'/'.join(map(str, noted))}; it is left alone"
            )

    def _delete_one(self, view: LonghornView) -> str:
        """Delete a replica that holds all data, on another node than the volume is used from where there is one.

        The volume is whole and has more than one: the last one is never deleted.
        """
        nodes = {str(replica["metadata"]["name"]): replica["spec"].get("nodeID") for replica in view.replicas}
        away = [name for name in view.readable if nodes.get(name) != self._volume.node]
        chosen = (away or view.readable)[0]
        self._readable = view.wanted
        self._api.delete(REPLICAS, chosen, namespace=self._namespace)
        return f"replica {chosen} on node {nodes.get(chosen)} deleted"

    def _room_for_another(self, view: LonghornView) -> bool:
        soft = longhorn_settings(self._api, self._namespace).get(SOFT_ANTI_AFFINITY, "false")
        own = str(view.volume["spec"].get("replicaSoftAntiAffinity") or "ignored")
        allowed = soft if own == "ignored" else own
        nodes = self._api.list(LONGHORN_NODES, namespace=self._namespace)
        return allowed in SWITCHED_ON or bool(free_nodes(nodes, view))

    def _further(self, view: LonghornView, before: LonghornView) -> set[str]:
        return {name for name in rebuilt_since(view, before) if before.modes.get(name) != "RW"}

    def _set_count(self, count: int) -> None:
        change = {"spec": {"numberOfReplicas": count}}
        self._api.patch(LONGHORN_VOLUMES, self._volume.volume, change, namespace=self._namespace)

    def _wait_gone(self, replicas: set[str]) -> None:
        wait_for(
            f"the further replica of Longhorn volume {self._volume.volume} to be deleted",
            look=lambda: self._view().replica_names & replicas,
            ready=lambda seen: not seen,
            state=lambda seen: f"still there: {', '.join(sorted(seen))}",
            timeout_s=self._timeout_s,
        )

    def _view(self) -> LonghornView:
        return longhorn_view(self._api, self._volume.volume, namespace=self._namespace)
