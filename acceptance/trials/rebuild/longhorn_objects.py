"""What Longhorn's objects (v1beta2) say of a volume and its replicas. Pure: nothing is asked of a cluster here.

Source: the types of longhorn-manager, `k8s/pkg/apis/longhorn/v1beta2`. `rebuildStatus` is for progress alone: Longhorn
looks at its engines every 5 s, so that a short rebuild may never show there, and the entry is gone at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.driver import RebuildState

Object = Mapping[str, Any]

HEALTHY, FAULTED, ATTACHED = "healthy", "faulted", "attached"
SWITCHED_ON = ("true", "enabled")


@dataclass(frozen=True, kw_only=True)
class LonghornView:
    """One volume as seen at a moment: its `volumes`, `engines` and `replicas` objects."""

    volume: Object
    engines: Sequence[Object]
    replicas: Sequence[Object]

    @property
    def name(self) -> str:
        """Of the Longhorn volume."""
        return str(self.volume["metadata"]["name"])

    @property
    def wanted(self) -> int:
        """How many replicas it should have."""
        return int(_part(self.volume, "spec").get("numberOfReplicas") or 0)

    @property
    def state(self) -> str:
        """`attached`, `detached`, and what lies between."""
        return str(_part(self.volume, "status").get("state") or "unknown")

    @property
    def robustness(self) -> str:
        """`healthy`, `degraded`, `faulted` or `unknown`."""
        return str(_part(self.volume, "status").get("robustness") or "unknown")

    @property
    def modes(self) -> dict[str, str]:
        """By replica: RW, WO or ERR, as the engine that is in use has it."""
        return {str(name): str(mode) for name, mode in self._engine("replicaModeMap").items()}

    @property
    def readable(self) -> list[str]:
        """The replicas that hold all data."""
        return sorted(name for name, mode in self.modes.items() if mode == "RW")

    @property
    def replica_names(self) -> set[str]:
        """All replica objects, whatever their state."""
        return {str(each["metadata"]["name"]) for each in self.replicas}

    def nodes(self) -> set[str]:
        """The nodes that hold a replica, or are to."""
        return {node for each in self.replicas if (node := str(_part(each, "spec").get("nodeID") or ""))}

    def rebuild_status(self, replica: str) -> Object:
        """The engine's entry on the rebuild of the replica; empty where there is none."""
        address = self._engine("currentReplicaAddressMap").get(replica)
        entries = self._engine("rebuildStatus")
        return entries.get(f"tcp://{address}") or entries.get(str(address)) or {} if address else {}

    def complaints(self) -> list[str]:
        """The conditions of volume and replicas that say why something is not done."""
        found = []
        for each in _part(self.volume, "status").get("conditions") or []:
            if each.get("type") == "Scheduled" and each.get("status") != "True":
                found.append(f"volume {self.name}: {each.get('reason')}: {each.get('message')}")
        for replica in self.replicas:
            for each in _part(replica, "status").get("conditions") or []:
                if each.get("type") == "RebuildFailed" and each.get("status") == "True":
                    found.append(f"replica {replica['metadata']['name']}: {each.get('reason')}: {each.get('message')}")
        return found

    def _engine(self, key: str) -> dict[str, Any]:
        """A map of the status of all engines together; while a volume migrates it has two."""
        found: dict[str, Any] = {}
        for engine in self.engines:
            found |= _part(engine, "status").get(key) or {}
        return found


def rebuild_state(view: LonghornView, *, before: set[str], readable: int) -> RebuildState:
    """How far the rebuild is; `before`: the replicas at the trigger, `readable`: how many must hold all data again.

    It is over when the new replica is RW and the volume healthy, whatever `rebuildStatus` shows. Raises StorageFailure
    when the rebuild or the volume has failed, in Longhorn's words.
    """
    if view.robustness == FAULTED:
        raise StorageFailure(f"Longhorn volume {view.name} is faulted: no replica holds its data any more")
    new = sorted(view.replica_names - before)
    for replica in new:
        _require_not_failed(view, replica)
    modes = {replica: view.modes.get(replica, "") for replica in new}
    ready = [replica for replica, mode in modes.items() if mode == "RW"]
    if ready and len(view.readable) >= readable and view.robustness == HEALTHY:
        return RebuildState(phase="whole", description=f"replica {ready[0]} is RW, the volume healthy", progress=1.0)
    for replica in new:
        status = view.rebuild_status(replica)
        if status or modes[replica] == "WO":
            progress = _share(status.get("progress")) if status else None
            shown = "progress unknown" if progress is None else f"{100 * progress:.0f} %"
            return RebuildState(
                phase="rebuilding", description=f"replica {replica} is rebuilt: {shown}", progress=progress
            )
    if ready:
        return RebuildState(phase="rebuilding", description=f"replica {ready[0]} is RW, the volume {view.robustness}")
    said = f"replica {new[0]} is not in use yet" if new else "no new replica yet"
    return RebuildState(phase="waiting", description=f"{said}, the volume {view.robustness}")


def _require_not_failed(view: LonghornView, replica: str) -> None:
    status = view.rebuild_status(replica)
    if status.get("state") == "error" or status.get("error"):
        raise StorageFailure(
            f"the rebuild of replica {replica} of Longhorn volume {view.name} failed: "
            f"{status.get('error') or 'Longhorn gives no reason'}"
        )
    found = next((each for each in view.replicas if each["metadata"]["name"] == replica), None)
    failed_at = _part(found, "spec").get("failedAt") if found else None
    if view.modes.get(replica) == "ERR" or failed_at:
        why = "; ".join(view.complaints()) or "its mode is ERR, and Longhorn gives no reason"
        raise StorageFailure(f"the rebuild of replica {replica} of Longhorn volume {view.name} failed: {why}")


def _share(progress: Any) -> float:
    """Longhorn's percentage, which has been seen above 100, as a share of 1."""
    return min(max(float(progress or 0) / 100, 0.0), 1.0)


def free_nodes(nodes: Sequence[Object], view: LonghornView) -> list[str]:
    """The Longhorn nodes that take a replica and hold none of the volume's."""
    usable = {str(node["metadata"]["name"]) for node in nodes if takes_replicas(node)}
    return sorted(usable - view.nodes())


def takes_replicas(node: Object) -> bool:
    """Whether Longhorn may place a replica on the node, as far as the node itself goes."""
    conditions = _part(node, "status").get("conditions") or []
    states = {each.get("type"): each.get("status") for each in conditions if isinstance(each, Mapping)}
    return (
        bool(_part(node, "spec").get("allowScheduling"))
        and states.get("Ready") == "True"
        and states.get("Schedulable", "True") == "True"
    )


def _part(item: Object, key: str) -> Mapping[str, Any]:
    return item.get(key) or {}
