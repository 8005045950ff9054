"""Longhorn as the rebuild driver sees it: its objects in an API server, whose status changes the way it documents.

No data is behind them. The volumes of a lab class whose provisioner is Longhorn's get a Longhorn volume, an engine and
replicas; a replica that lacks is made and rebuilt, and how that goes wrong is up to the behaviour.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NAMESPACES, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError
from acceptance.trials.rebuild.longhorn_api import (
    ENGINES,
    GROUP,
    LONGHORN_NODES,
    LONGHORN_VOLUMES,
    OF_VOLUME,
    REPLICAS,
    SETTINGS,
    VERSION,
)
from selftests.lab.definitions import defined

NAMESPACE = "longhorn-system"
DEFINITIONS = Path(__file__).parent / "longhorn_crds.yaml"
DISK = "disk-1"
POLL_S = 0.1


@dataclass(kw_only=True)
class Behaviour:
    """How rebuilds go. `looks_s`: how often the engine's status is brought up to date (5 s in Longhorn itself).

    `overshoots`: progress goes beyond 100. `error`: how each rebuild fails, half-way; empty where it does not.
    `starts`: whether a replica that lacks is ever made. `nodes`: those of Longhorn, of which each takes one replica.
    """

    replicas: int = 3
    nodes: tuple[str, ...] = ("store-1", "store-2", "store-3", "store-4")
    rebuild_s: float = 3.0
    looks_s: float = 0.5
    overshoots: bool = False
    error: str = ""
    starts: bool = True
    state: str = "attached"
    robustness: str = "healthy"
    owner: str = ""
    """another claim that Longhorn believes the volume to be of"""
    free: int = 1024**4
    """bytes on the only disk of each node, none of them promised to anybody"""
    settings: dict[str, str] = field(
        default_factory=lambda: {
            "concurrent-replica-rebuild-per-node-limit": "5",
            "replica-replenishment-wait-interval": "600",
            "replica-soft-anti-affinity": "false",
        }
    )


@contextmanager
def longhorn(api: Api, behaviour: Behaviour, *, version: str = "v1beta2") -> Iterator[None]:
    """The definitions exist and are looked after until the block ends; `version`: the one that is served."""
    text = DEFINITIONS.read_text(encoding="utf-8").replace("v1beta2", version)
    with defined(api, list(yaml.safe_load_all(text))):
        if version != "v1beta2":
            yield
            return
        try:
            api.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            with controller(api, behaviour):
                yield
        finally:
            api.delete(NAMESPACES, NAMESPACE)
            wait_for(
                f"namespace {NAMESPACE} to be deleted",
                look=lambda: api.find(NAMESPACES, NAMESPACE),
                ready=lambda seen: seen is None,
                state=str,
                timeout_s=60,
            )


@contextmanager
def controller(api: Api, behaviour: Behaviour) -> Iterator[None]:
    """Looks after Longhorn's objects, in a thread, until the block ends."""
    for name in behaviour.nodes:
        spec = {"allowScheduling": True, "disks": {DISK: {"allowScheduling": True, "storageReserved": 0}}}
        _create(api, LONGHORN_NODES, {"metadata": {"name": name}, "spec": spec})
        ready = [{"type": "Ready", "status": "True"}, {"type": "Schedulable", "status": "True"}]
        disk = {"storageMaximum": behaviour.free, "storageAvailable": behaviour.free, "storageScheduled": 0}
        status = {"conditions": ready, "diskStatus": {DISK: disk | {"conditions": ready}}}
        _set_status(api, LONGHORN_NODES, name, status)
    for name, value in behaviour.settings.items():
        _create(api, SETTINGS, {"metadata": {"name": name}, "value": value})
    ended = threading.Event()
    thread = threading.Thread(target=_serve, args=(api, behaviour, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _serve(api: Api, behaviour: Behaviour, ended: threading.Event) -> None:
    began: dict[str, float] = {}
    looked: dict[str, float] = {}
    while not ended.wait(POLL_S):
        with suppress(AcceptanceError):  # seen again at the next turn
            for volume in api.list(VOLUMES):
                claim = volume["spec"].get("claimRef") or {}
                if claim.get("name", "").startswith("rebuild-"):
                    _look_after(api, behaviour, volume, began, looked)
            _forget_removed(api)


def _look_after(
    api: Api, behaviour: Behaviour, volume: Object, began: dict[str, float], looked: dict[str, float]
) -> None:
    name = volume["metadata"]["name"]
    found = api.find(LONGHORN_VOLUMES, name, namespace=NAMESPACE)
    if found is None:
        _make(api, behaviour, volume)
        return
    now = time.monotonic()
    if now - looked.get(name, 0.0) < behaviour.looks_s:
        return
    looked[name] = now
    replicas = {
        each["metadata"]["name"]: each for each in api.list(REPLICAS, namespace=NAMESPACE, labels=f"{OF_VOLUME}={name}")
    }
    engine = api.get(ENGINES, f"{name}-e-0", namespace=NAMESPACE)["status"]
    modes = {replica: mode for replica, mode in (engine.get("replicaModeMap") or {}).items() if replica in replicas}
    free = [node for node in behaviour.nodes if node not in {each["spec"]["nodeID"] for each in replicas.values()}]
    if len(replicas) < found["spec"]["numberOfReplicas"] and behaviour.starts and free:
        new = f"{name}-r-{int(1000 * now)}"
        _make_replica(api, name, new, node=free[0])
        began[new] = now
        return  # in use when the engine is looked at next
    rebuilds: dict[str, Object] = {}
    for replica in replicas:
        if modes.get(replica) == "ERR" and behaviour.error:  # told for as long as the replica is there
            rebuilds[_address(replica)] = _rebuild("error", 50, behaviour.error)
        if modes.get(replica) in ("RW", "ERR"):
            continue
        share = (now - began.get(replica, now)) / behaviour.rebuild_s
        modes[replica] = "WO"
        if behaviour.error and share > 0.5:
            modes[replica] = "ERR"
            rebuilds[_address(replica)] = _rebuild("error", int(100 * share), behaviour.error)
        elif share >= 1:
            modes[replica] = "RW"
        else:
            rebuilds[_address(replica)] = _rebuild("in_progress", int((140 if behaviour.overshoots else 100) * share))
    whole = len([mode for mode in modes.values() if mode == "RW"]) >= found["spec"]["numberOfReplicas"]
    _set_engine(api, name, modes, rebuilds)
    _set_volume(api, behaviour, volume, robustness=behaviour.robustness if whole else "degraded")


def _make(api: Api, behaviour: Behaviour, volume: Object) -> None:
    name = volume["metadata"]["name"]
    size = volume["spec"]["capacity"]["storage"]
    spec = {"numberOfReplicas": behaviour.replicas, "size": size, "dataLocality": "disabled", "dataEngine": "v1"}
    labels = {OF_VOLUME: name}
    engine = {"metadata": {"name": f"{name}-e-0", "labels": labels}, "spec": {"volumeName": name, "active": True}}
    _create(api, ENGINES, engine)
    replicas = [f"{name}-r-{number}" for number in range(1, behaviour.replicas + 1)]
    for replica, node in zip(replicas, behaviour.nodes, strict=False):
        _make_replica(api, name, replica, node=node)
    _set_engine(api, name, dict.fromkeys(replicas, "RW"), {})
    _create(api, LONGHORN_VOLUMES, {"metadata": {"name": name}, "spec": spec})
    _set_volume(api, behaviour, volume, robustness=behaviour.robustness)


def _make_replica(api: Api, volume: str, name: str, *, node: str) -> None:
    spec = {"volumeName": volume, "nodeID": node, "active": True, "engineName": f"{volume}-e-0"}
    body = {"metadata": {"name": name, "labels": {OF_VOLUME: volume}}, "spec": spec}
    _create(api, REPLICAS, body)


def _rebuild(state: str, progress: int, error: str = "") -> Object:
    return {"isRebuilding": not error, "state": state, "progress": progress, "error": error}


def _address(replica: str) -> str:
    return f"tcp://{replica}:10000"


def _set_engine(api: Api, volume: str, modes: dict[str, str], rebuilds: dict[str, Object]) -> None:
    """Maps are merged by the API server: what is no longer in them must be named."""
    name = f"{volume}-e-0"
    before = api.get(ENGINES, name, namespace=NAMESPACE).get("status") or {}
    addresses = {replica: _address(replica).removeprefix("tcp://") for replica in modes}
    status: Object = {"currentState": "running"}
    new = {"replicaModeMap": modes, "currentReplicaAddressMap": addresses, "rebuildStatus": rebuilds}
    for key, values in new.items():
        status[key] = dict.fromkeys(before.get(key) or {}) | values
    _set_status(api, ENGINES, name, status)


def _set_volume(api: Api, behaviour: Behaviour, volume: Object, *, robustness: str) -> None:
    claim = volume["spec"]["claimRef"]
    known = {
        "pvName": volume["metadata"]["name"],
        "pvStatus": "Bound",
        "namespace": claim["namespace"],
        "pvcName": behaviour.owner or claim["name"],
    }
    conditions = [{"type": "Scheduled", "status": "True"}]
    if robustness == "degraded" and not behaviour.starts:
        message = "insufficient storage; replica scheduling failed"
        failed = {"type": "Scheduled", "status": "False", "reason": "ReplicaSchedulingFailure", "message": message}
        conditions = [failed]
    status = {
        "state": behaviour.state,
        "robustness": robustness,
        "kubernetesStatus": known,
        "conditions": conditions,
    }
    _set_status(api, LONGHORN_VOLUMES, volume["metadata"]["name"], status)


def _create(api: Api, resource: Resource, body: Object) -> None:
    """Of kinds that are defined, the API server must be told which one it is."""
    kind = resource.plural.removesuffix("s").capitalize()
    api.create(resource, {"apiVersion": f"{GROUP}/{VERSION}", "kind": kind, **body}, namespace=NAMESPACE)


def _set_status(api: Api, resource: Resource, name: str, status: Object) -> None:
    api.patch(resource, f"{name}/status", {"status": status}, namespace=NAMESPACE)


def _forget_removed(api: Api) -> None:
    """What belongs to a volume that is gone goes too."""
    there = {volume["metadata"]["name"] for volume in api.list(VOLUMES)}
    for volume in api.list(LONGHORN_VOLUMES, namespace=NAMESPACE):
        name = volume["metadata"]["name"]
        if name in there:
            continue
        for resource in (REPLICAS, ENGINES):
            for each in api.list(resource, namespace=NAMESPACE, labels=f"{OF_VOLUME}={name}"):
                api.delete(resource, each["metadata"]["name"], namespace=NAMESPACE)
        api.delete(LONGHORN_VOLUMES, name, namespace=NAMESPACE)
