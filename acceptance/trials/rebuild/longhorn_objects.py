"""What Longhorn's objects (v1beta2) say of a volume and its replicas. Pure: nothing is asked of a cluster here.

Source: the types of longhorn-manager, `k8s/pkg/apis/longhorn/v1beta2`. `rebuildStatus` is for progress alone: Longhorn
looks at its engines every 5 s, so that a short rebuild may never show there, and the entry is gone at the end.
`replicaModeMap` has keys that are no replicas, too: `UNKNOWN-tcp://IP:PORT`, of one that died or was deleted.
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
COMPLETE = "complete"
"""of a rebuild: all is copied. Whoever had it made then takes the replica into use; longhorn-manager 1.10 does not
where it was killed in between, nor does it begin another rebuild of the volume."""
NO_REASON = "Longhorn gives no reason"
DATA_ENGINE = "v1"
"""of a volume that does not say which"""


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
    def data_engine(self) -> str:
        """`v1` or `v2`."""
        return str(_part(self.volume, "spec").get("dataEngine") or DATA_ENGINE)

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
        """By replica: RW, WO or ERR, as the engine that is in use has it; keys that are no replica's are left out."""
        there = self.replica_names
        return {str(name): str(mode) for name, mode in self._engine("replicaModeMap").items() if name in there}

    @property
    def readable(self) -> list[str]:
        """The replicas that hold all data.

        One that died is marked with `failedAt` within a second; the engine's map has it as RW for 5 s more.
        """
        return sorted(name for name, mode in self.modes.items() if mode == "RW" and not self._has_failed(name))

    @property
    def replica_names(self) -> set[str]:
        """All replica objects, whatever their state."""
        return {str(replica["metadata"]["name"]) for replica in self.replicas}

    def nodes(self) -> set[str]:
        """The nodes that hold a replica, or are to."""
        return {node for replica in self.replicas if (node := str(_part(replica, "spec").get("nodeID") or ""))}

    @property
    def purging(self) -> bool:
        """Whether snapshots are coalesced, which Longhorn does before a rebuild and after it."""
        return any(each.get("isPurging") for each in self._engine("purgeStatus").values())

    def spec_of(self, replica: str) -> Object:
        """What is wanted of a replica, with `failedAt` and `healthyAt`; empty where there is none of that name."""
        found = (each for each in self.replicas if each["metadata"]["name"] == replica)
        return next((_part(each, "spec") for each in found), {})

    def why_faulted(self) -> str:
        """What has failed of a volume that is faulted: the engine alone, or all replicas that had all data."""
        whole = [
            name for name in self.replica_names if self.spec_of(name).get("healthyAt") and not self._has_failed(name)
        ]
        if whole:
            hold = "1 of its replicas holds" if len(whole) == 1 else f"{len(whole)} replicas hold"
            return f"its engine has failed, and whoever used it had errors; {hold} its data"
        return "all of its replicas have failed; Longhorn may salvage it, and nobody knows what was lost meanwhile"

    def retries(self, replica: str) -> int:
        """How often its rebuild was begun anew after it had failed."""
        return int(self.spec_of(replica).get("rebuildRetryCount") or 0)

    def rebuild_status(self, replica: str) -> Object:
        """The engine's entry on the rebuild of the replica; empty where there is none."""
        address = self._engine("currentReplicaAddressMap").get(replica)
        entries = self._engine("rebuildStatus")
        return entries.get(f"tcp://{address}") or entries.get(str(address)) or {} if address else {}

    def complaints(self) -> list[str]:
        """What volume and replicas say of why something is not done."""
        found = []
        for condition in _part(self.volume, "status").get("conditions") or []:
            if condition.get("type") == "Scheduled" and condition.get("status") != "True":
                found.append(f"volume {self.name}: {condition.get('reason')}: {condition.get('message')}")
        failed = [(name, why) for name in sorted(self.replica_names) if (why := self._complaint(name))]
        return [*found, *(f"replica {name}: {why}" for name, why in failed)]

    def _complaint(self, replica: str) -> str:
        failed_at = self.spec_of(replica).get("failedAt")
        return self.why_failed(replica) or (f"failed at {failed_at}" if failed_at else "")

    def why_failed(self, replica: str) -> str:
        """The condition that says why its rebuild failed, which stays until another one begins; empty without one."""
        for found in self.replicas:
            for condition in _part(found, "status").get("conditions") or []:
                failed = condition.get("type") == "RebuildFailed" and condition.get("status") == "True"
                if failed and found["metadata"]["name"] == replica:
                    return f"{condition.get('reason')}: {condition.get('message')}"
        return ""

    def _has_failed(self, replica: str) -> bool:
        return bool(self.spec_of(replica).get("failedAt"))

    def _engine(self, key: str) -> dict[str, Any]:
        """A map of the status of all engines together; while a volume migrates it has two."""
        found: dict[str, Any] = {}
        for engine in self.engines:
            found |= _part(engine, "status").get(key) or {}
        return found


def rebuilt_since(view: LonghornView, before: LonghornView) -> list[str]:
    """The replicas that are made whole, or were, since `before`: new ones, and failed ones that were taken up again.

    Longhorn takes a failed replica up under its old name: it empties its `failedAt` and its `healthyAt`, and sets
    `healthyAt` anew once it is whole.
    """
    return sorted(name for name in view.replica_names if _taken_up(view.spec_of(name), before, name))


def _taken_up(now: Object, before: LonghornView, name: str) -> bool:
    was = before.spec_of(name)
    if was.get("healthyAt"):
        return bool(now.get("healthyAt") != was["healthyAt"])
    failed_at = now.get("failedAt")
    return before.modes.get(name) != "RW" and (not failed_at or failed_at != was.get("failedAt"))


def is_rebuilt(view: LonghornView, replica: str) -> bool:
    """Whether it is on its way now."""
    return view.modes.get(replica) == "WO" or bool(view.rebuild_status(replica))


def failure_of(view: LonghornView, replica: str, *, before: LonghornView) -> str | None:
    """What Longhorn says of why the rebuild of the replica has failed; None where it has not.

    What was said of the replica `before` already is of an earlier failure, after which it may be taken up again.
    """
    status = view.rebuild_status(replica)
    if status.get("state") == "error" or status.get("error"):
        return str(status.get("error") or NO_REASON)
    failed_at, known = view.spec_of(replica).get("failedAt"), before.spec_of(replica).get("failedAt")
    in_error = view.modes.get(replica) == "ERR" and before.modes.get(replica) != "ERR"
    if in_error or (failed_at and failed_at != known):
        return view.why_failed(replica) or NO_REASON
    return None


def rebuild_state(view: LonghornView, *, before: LonghornView, readable: int) -> RebuildState:
    """How far the rebuild is; `before`: the volume at the trigger, `readable`: how many must hold all data again.

    It is over when a replica that was rebuilt is RW and the volume healthy, whatever `rebuildStatus` shows. Raises
    StorageFailure when the volume has failed.
    """
    if view.robustness == FAULTED:
        raise StorageFailure(f"Longhorn volume {view.name} is faulted: {view.why_faulted()}")
    new = rebuilt_since(view, before)
    ready = [replica for replica in new if view.modes.get(replica) == "RW"]
    if ready and len(view.readable) >= readable and view.robustness == HEALTHY:
        return RebuildState(phase="whole", description=f"replica {ready[0]} is RW, the volume healthy", progress=1.0)
    for replica in new:
        if is_rebuilt(view, replica) and not failure_of(view, replica, before=before):
            status = view.rebuild_status(replica)
            progress = _share(status.get("progress")) if status else None
            shown = "progress unknown" if progress is None else f"{100 * progress:.0f} %"
            said = f"replica {replica} is rebuilt: {shown}"
            if status.get("state") == COMPLETE:
                mode = view.modes.get(replica)
                said = f"replica {replica} has all data, and Longhorn has not taken it into use ({mode})"
            return RebuildState(phase="rebuilding", description=said, progress=progress)
    for replica in new:
        if why := failure_of(view, replica, before=before):
            return RebuildState(phase="rebuilding", description=f"the rebuild of replica {replica} has failed: {why}")
    if ready:
        return RebuildState(phase="rebuilding", description=f"replica {ready[0]} is RW, the volume {view.robustness}")
    said = f"replica {new[0]} is not in use yet" if new else "no new replica yet"
    purged = ", Longhorn purges snapshots" if view.purging else ""
    return RebuildState(phase="waiting", description=f"{said}, the volume {view.robustness}{purged}")


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
    states = {
        condition.get("type"): condition.get("status") for condition in conditions if isinstance(condition, Mapping)
    }
    return (
        bool(_part(node, "spec").get("allowScheduling"))
        and states.get("Ready") == "True"
        and states.get("Schedulable", "True") == "True"
    )


def _part(item: Object, key: str) -> Mapping[str, Any]:
    return item.get(key) or {}
