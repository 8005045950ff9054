"""The state of a volume and its replicas in Longhorn's objects (v1beta2). Pure: no cluster is queried here.

Source: the types of longhorn-manager, `k8s/pkg/apis/longhorn/v1beta2`. `rebuildStatus` is for progress alone: Longhorn
checks its engines every 5 s, so that a short rebuild may never show there, and the entry is deleted at the end.
`replicaModeMap` has keys that are no replicas, too: `UNKNOWN-tcp://IP:PORT`, of one that died or was deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.driver import RebuildState

Object = Mapping[str, Any]

HEALTHY, FAULTED_STATE, ATTACHED_STATE = "healthy", "faulted", "attached"
SWITCHED_ON = ("true", "enabled")
COMPLETE = "complete"
"""The state of a rebuild that has copied everything. The controller that requested it then takes the replica into use;
longhorn-manager 1.10 does not if it was killed in between, nor does it begin another rebuild of the volume."""
NO_REASON = "Longhorn gives no reason"
DATA_ENGINE = "v1"
"""The engine of a volume that does not name one."""


@dataclass(frozen=True, kw_only=True)
class LonghornView:
    """One volume as seen at a moment: its `volumes`, `engines` and `replicas` objects."""

    volume: Object
    engines: Sequence[Object]
    replicas: Sequence[Object]

    @property
    def name(self) -> str:
        """The name of the Longhorn volume."""
        return str(self.volume["metadata"]["name"])

    @property
    def desired_replicas(self) -> int:
        """The number of replicas that it should have."""
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
        """The mode of each replica: RW, WO or ERR, as the engine in use has it; keys that are no replica's are left
        out."""
        there = self.replica_names
        return {str(name): str(mode) for name, mode in self._engine("replicaModeMap").items() if name in there}

    @property
    def readable(self) -> list[str]:
        """The replicas that hold all data.

        A replica that died is marked with `failedAt` within a second; the engine's map shows it as RW for 5 s more.
        """
        return sorted(name for name, mode in self.modes.items() if mode == "RW" and not self._has_failed(name))

    @property
    def replica_names(self) -> set[str]:
        """The names of all replica objects, whatever their state."""
        return {str(replica["metadata"]["name"]) for replica in self.replicas}

    def nodes(self) -> set[str]:
        """Return the nodes that hold a replica, or are to hold one."""
        return {node for replica in self.replicas if (node := str(_part(replica, "spec").get("nodeID") or ""))}

    @property
    def purging(self) -> bool:
        """True if snapshots are coalesced, which Longhorn does before a rebuild and after it."""
        return any(entry.get("isPurging") for entry in self._engine("purgeStatus").values())

    def spec_of(self, replica: str) -> Object:
        """Return the spec of a replica, with `failedAt` and `healthyAt`; empty if there is none of that name."""
        matches = (item for item in self.replicas if item["metadata"]["name"] == replica)
        return next((_part(item, "spec") for item in matches), {})

    def fault_reason(self) -> str:
        """Return what has failed of a volume that is faulted: the engine alone, or all replicas that had all data."""
        whole = [
            name for name in self.replica_names if self.spec_of(name).get("healthyAt") and not self._has_failed(name)
        ]
        if whole:
            hold = "1 of its replicas holds" if len(whole) == 1 else f"{len(whole)} replicas hold"
            return f"its engine has failed, and its users had errors; {hold} its data"
        return "all of its replicas have failed; Longhorn may salvage it, but which data was lost is unknown"

    def retries(self, replica: str) -> int:
        """Return how often its rebuild was repeated after it had failed."""
        return int(self.spec_of(replica).get("rebuildRetryCount") or 0)

    def rebuild_status(self, replica: str) -> Object:
        """Return the engine's entry on the rebuild of the replica; empty if there is none."""
        address = self._engine("currentReplicaAddressMap").get(replica)
        entries = self._engine("rebuildStatus")
        return entries.get(f"tcp://{address}") or entries.get(str(address)) or {} if address else {}

    def complaints(self) -> list[str]:
        """Return the reasons in volume and replicas why something is not done."""
        messages = []
        for condition in _part(self.volume, "status").get("conditions") or []:
            if condition.get("type") == "Scheduled" and condition.get("status") != "True":
                messages.append(f"volume {self.name}: {condition.get('reason')}: {condition.get('message')}")
        failures = [(name, why) for name in sorted(self.replica_names) if (why := self._complaint(name))]
        return [*messages, *(f"replica {name}: {why}" for name, why in failures)]

    def _complaint(self, replica: str) -> str:
        failed_at = self.spec_of(replica).get("failedAt")
        return self.failure_reason(replica) or (f"failed at {failed_at}" if failed_at else "")

    def failure_reason(self, replica: str) -> str:
        """Return the condition that says why its rebuild failed, which stays until another one begins; empty without
        one."""
        for item in self.replicas:
            for condition in _part(item, "status").get("conditions") or []:
                is_failure = condition.get("type") == "RebuildFailed" and condition.get("status") == "True"
                if is_failure and item["metadata"]["name"] == replica:
                    return f"{condition.get('reason')}: {condition.get('message')}"
        return ""

    def _has_failed(self, replica: str) -> bool:
        return bool(self.spec_of(replica).get("failedAt"))

    def _engine(self, key: str) -> dict[str, Any]:
        """Return a map of the status of all engines together; a volume that migrates has two."""
        entries: dict[str, Any] = {}
        for engine in self.engines:
            entries |= _part(engine, "status").get(key) or {}
        return entries


def rebuilt_since(view: LonghornView, before: LonghornView) -> list[str]:
    """Return the replicas that are being rebuilt, or were, since `before`: new ones, and failed ones that Longhorn took
    up again.

    Longhorn takes a failed replica up under its old name: it empties its `failedAt` and its `healthyAt`, and sets
    `healthyAt` again once it is complete.
    """
    return sorted(name for name in view.replica_names if _taken_up(view.spec_of(name), before, name))


def _taken_up(now: Object, before: LonghornView, name: str) -> bool:
    was = before.spec_of(name)
    if was.get("healthyAt"):
        return bool(now.get("healthyAt") != was["healthyAt"])
    failed_at = now.get("failedAt")
    return before.modes.get(name) != "RW" and (not failed_at or failed_at != was.get("failedAt"))


def is_rebuilt(view: LonghornView, replica: str) -> bool:
    """Return whether the replica is being rebuilt now."""
    return view.modes.get(replica) == "WO" or bool(view.rebuild_status(replica))


def failure_of(view: LonghornView, replica: str, *, before: LonghornView) -> str | None:
    """Return Longhorn's reason why the rebuild of the replica has failed; None if it has not.

    A reason that the replica had `before` already is of an earlier failure, after which it may be taken up again.
    """
    status = view.rebuild_status(replica)
    if status.get("state") == "error" or status.get("error"):
        return str(status.get("error") or NO_REASON)
    failed_at, earlier = view.spec_of(replica).get("failedAt"), before.spec_of(replica).get("failedAt")
    in_error = view.modes.get(replica) == "ERR" and before.modes.get(replica) != "ERR"
    if in_error or (failed_at and failed_at != earlier):
        return view.failure_reason(replica) or NO_REASON
    return None


def rebuild_state(view: LonghornView, *, before: LonghornView, readable: int) -> RebuildState:
    """Return the state of the rebuild; `before`: the volume at the trigger, `readable`: the number of replicas that
    must hold all data again.

    It is over when a replica that was rebuilt is RW and the volume healthy, whatever `rebuildStatus` shows. Raises
    StorageFailure if the volume has failed.
    """
    if view.robustness == FAULTED_STATE:
        raise StorageFailure(f"Longhorn volume {view.name} is faulted: {view.fault_reason()}")
    new = rebuilt_since(view, before)
    ready = [replica for replica in new if view.modes.get(replica) == "RW"]
    if ready and len(view.readable) >= readable and view.robustness == HEALTHY:
        return RebuildState(phase="whole", description=f"replica {ready[0]} is RW, the volume healthy", progress=1.0)
    for replica in new:
        if is_rebuilt(view, replica) and not failure_of(view, replica, before=before):
            status = view.rebuild_status(replica)
            progress = _share(status.get("progress")) if status else None
            percentage = "progress unknown" if progress is None else f"{100 * progress:.0f} %"
            description = f"replica {replica} is being rebuilt: {percentage}"
            if status.get("state") == COMPLETE:
                mode = view.modes.get(replica)
                description = f"replica {replica} has all data, but Longhorn does not use it yet ({mode})"
            return RebuildState(phase="rebuilding", description=description, progress=progress)
    for replica in new:
        if why := failure_of(view, replica, before=before):
            return RebuildState(phase="rebuilding", description=f"the rebuild of replica {replica} has failed: {why}")
    if ready:
        return RebuildState(phase="rebuilding", description=f"replica {ready[0]} is RW, the volume {view.robustness}")
    description = f"replica {new[0]} is not in use yet" if new else "no new replica yet"
    suffix = ", Longhorn purges snapshots" if view.purging else ""
    return RebuildState(phase="waiting", description=f"{description}, the volume {view.robustness}{suffix}")


def _share(progress: Any) -> float:
    """Return Longhorn's percentage, which has been seen above 100, as a share of 1."""
    return min(max(float(progress or 0) / 100, 0.0), 1.0)


def free_nodes(nodes: Sequence[Object], view: LonghornView) -> list[str]:
    """Return the Longhorn nodes that take a replica and hold none of the volume's."""
    usable = {str(node["metadata"]["name"]) for node in nodes if takes_replicas(node)}
    return sorted(usable - view.nodes())


def takes_replicas(node: Object) -> bool:
    """Return whether Longhorn may place a replica on the node, as far as the node itself is concerned."""
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
