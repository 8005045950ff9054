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
    ATTACHED_STATE,
    HEALTHY,
    SWITCHED_ON,
    LonghornView,
    free_nodes,
    rebuild_state,
    rebuilt_since,
)
from acceptance.trials.rebuild.longhorn_tries import LonghornTries

RESOLUTION_S = 5.0
"""`EnginePollInterval` of longhorn-manager: the interval at which it updates the status of an engine."""
PURGE_SHOWS_S = 2 * RESOLUTION_S
"""Seconds after which a purge that began at the end of a rebuild shows; Longhorn itself waits as long before it
concludes that there is none."""


class LonghornRebuild:
    """Implements `ReplicaRebuild`. A dynamically provisioned Longhorn volume has the name of its PersistentVolume.

    `timeout_s`: for a replica to be deleted; `move_timeout_s`: for snapshots to be coalesced.
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
                f"no node for another replica of Longhorn volume {view.name}: {len(view.nodes())} nodes hold one, no "
                f"other node takes replicas, and {SOFT_ANTI_AFFINITY} is off; add a node, or set trigger: "
                "deleted-replica in the target file"
            )
        self._readable = view.desired_replicas + 1
        self._set_count(view.desired_replicas + 1)
        return f"numberOfReplicas raised from {view.desired_replicas} to {view.desired_replicas + 1}"

    def look(self) -> RebuildState:
        """See `ReplicaRebuild`. Without a trigger there is no replica to begin with."""
        view = self._view()
        before = self._before or replace(view, replicas=[])
        state = rebuild_state(view, before=before, readable=self._readable)
        tries = self._tries or LonghornTries(before)
        tries.see(view)
        if not (failures := tuple(tries.failures)):
            return state
        suffix = f"; {len(failures)} {'attempt' if len(failures) == 1 else 'attempts'} failed, the last: {failures[-1]}"
        return replace(state, description=f"{state.description}{suffix}", failures=failures)

    def obstacles(self) -> list[str]:
        """See `ReplicaRebuild`."""
        view = self._view()
        settings = longhorn_settings(self._api, self._namespace, data_engine=view.data_engine)
        return [*view.complaints(), *(f"setting {name}: {value}" for name, value in settings.items())]

    def restore(self) -> None:
        """See `ReplicaRebuild`: restore the number of replicas, and delete those that came beyond it."""
        if self._before is None:
            return
        before = self._before
        if self._api.find(LONGHORN_VOLUMES, before.name, namespace=self._namespace) is None:
            return
        view = self._view()
        if view.desired_replicas != before.desired_replicas:
            self._set_count(before.desired_replicas)
        # Lowering the count removes none by itself. The others must hold all data often enough without them.
        # A replica that had failed before may be what Longhorn has made of the further one.
        further = self._further(view, before) if self._readable > before.desired_replicas else set()
        if len(set(view.readable) - further) >= before.desired_replicas:
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
            f"Longhorn to purge the snapshots of volume {self._volume.volume} after a rebuild",
            look=self._view,
            ready=lambda view: not view.purging and time.monotonic() - since >= PURGE_SHOWS_S,
            state=lambda view: "purging" if view.purging else "not purging",
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
        """Return the volume, which is the run's own and has all its replicas; raise as `require_whole` does."""
        self._require_own()
        view = self._view()
        if view.desired_replicas == 1:
            raise one_copy(self._volume.storage_class)
        if view.state != ATTACHED_STATE:
            raise EnvironmentFailure(
                f"expected Longhorn volume {view.name} attached, as a pod of the run uses it, found {view.state}: "
                "replicas of a detached volume are not rebuilt; see Longhorn's events of the volume"
            )
        if view.robustness != HEALTHY or len(view.readable) < view.desired_replicas:
            why = "; ".join(view.complaints()) or "Longhorn gives no reason"
            raise EnvironmentFailure(
                f"expected Longhorn volume {view.name} with {view.desired_replicas} complete replicas before one is "
                f"removed, found {len(view.readable)}, robustness {view.robustness}: {why}"
            )
        return view

    def _require_own(self) -> None:
        """Require that the PersistentVolume and the Longhorn volume both name the run's claim: no other volume is
        changed."""
        volume = self._volume
        owner = self._api.get(VOLUMES, volume.volume)["spec"].get("claimRef") or {}
        longhorn_volume = self._api.find(LONGHORN_VOLUMES, volume.volume, namespace=self._namespace)
        if longhorn_volume is None:
            raise EnvironmentFailure(
                f"expected Longhorn volume {volume.volume} in namespace {self._namespace}, found none; name Longhorn's "
                "namespace in the target file (--storage-target)"
            )
        kubernetes_status = (longhorn_volume.get("status") or {}).get("kubernetesStatus") or {}
        own_claim = (volume.namespace, volume.claim)
        pv_claim, longhorn_claim = (
            (owner.get("namespace"), owner.get("name")),
            (kubernetes_status.get("namespace"), kubernetes_status.get("pvcName")),
        )
        if pv_claim != own_claim or longhorn_claim != own_claim:
            raise EnvironmentFailure(
                f"Longhorn volume {volume.volume} is not that of the run's PVC {'/'.join(own_claim)}: its "
                f"PV is claimed by {'/'.join(map(str, pv_claim))}, Longhorn knows "
                f"{'/'.join(map(str, longhorn_claim))}; the suite leaves it alone"
            )

    def _delete_one(self, view: LonghornView) -> str:
        """Delete a replica that holds all data, if possible on another node than the volume is used from.

        The volume is complete and has more than one replica: the last one is never deleted.
        """
        nodes = {str(replica["metadata"]["name"]): replica["spec"].get("nodeID") for replica in view.replicas}
        away = [name for name in view.readable if nodes.get(name) != self._volume.node]
        replica_name = (away or view.readable)[0]
        self._readable = view.desired_replicas
        self._api.delete(REPLICAS, replica_name, namespace=self._namespace)
        return f"replica {replica_name} on node {nodes.get(replica_name)} deleted"

    def _room_for_another(self, view: LonghornView) -> bool:
        soft = longhorn_settings(self._api, self._namespace).get(SOFT_ANTI_AFFINITY, "false")
        own = str(view.volume["spec"].get("replicaSoftAntiAffinity") or "ignored")
        setting = soft if own == "ignored" else own
        nodes = self._api.list(LONGHORN_NODES, namespace=self._namespace)
        return setting in SWITCHED_ON or bool(free_nodes(nodes, view))

    def _further(self, view: LonghornView, before: LonghornView) -> set[str]:
        return {name for name in rebuilt_since(view, before) if before.modes.get(name) != "RW"}

    def _set_count(self, count: int) -> None:
        change = {"spec": {"numberOfReplicas": count}}
        self._api.patch(LONGHORN_VOLUMES, self._volume.volume, change, namespace=self._namespace)

    def _wait_gone(self, replicas: set[str]) -> None:
        wait_for(
            f"the additional replica of Longhorn volume {self._volume.volume} to be deleted",
            look=lambda: self._view().replica_names & replicas,
            ready=lambda names: not names,
            state=lambda names: f"still present: {', '.join(sorted(names))}",
            timeout_s=self._timeout_s,
        )

    def _view(self) -> LonghornView:
        return longhorn_view(self._api, self._volume.volume, namespace=self._namespace)
