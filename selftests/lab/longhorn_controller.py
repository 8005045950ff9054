"""Longhorn as the rebuild driver sees it: its objects in an API server, whose status changes as Longhorn 1.10 does it.

No data is behind them. The volumes of a lab class whose provisioner is Longhorn's get a Longhorn volume, an engine and
replicas; a replica that lacks is made and rebuilt, and how that goes wrong is up to the behaviour
(`selftests/lab/longhorn_volume.py`, which also says what is quicker here than in Longhorn).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import yaml

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
from acceptance.cluster.resources import NAMESPACES, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError
from acceptance.trials.rebuild.longhorn_api import OF_VOLUME
from selftests.lab.background import in_background
from selftests.lab.definitions import defined
from selftests.lab.longhorn_volume import MADE, Behaviour, LabVolume, Turn, address, stamp

NAMESPACE = "longhorn-system"
DEFINITIONS = Path(__file__).parent / "longhorn_crds.yaml"
DISK = "disk-1"
POLL_S = 0.1
BLOCK_NOTHING = ("RequiredPackages", "NFSClientInstalled", "KernelModulesLoaded", "Multipathd")
"""conditions of a node that keep no replica from it, as they are where there is no NFS client and no device mapper"""


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
                timeout_s=180,
            )


Turns = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls what it is given every POLL_S until a block ends."""


def _in_a_thread(turn: Callable[[], None]) -> AbstractContextManager[None]:
    def work(ended: threading.Event) -> None:
        while not ended.wait(POLL_S):
            turn()

    return in_background(work)


@contextmanager
def controller(api: Api, behaviour: Behaviour, *, turns: Turns = _in_a_thread) -> Iterator[None]:
    """Looks after Longhorn's objects until the block ends; `turns`: how it comes to it, again and again."""
    for name in behaviour.nodes:
        spec = {"allowScheduling": True, "disks": {DISK: {"allowScheduling": True, "storageReserved": 0}}}
        _create(api, LONGHORN_NODES, {"metadata": {"name": name}, "spec": spec})
        ready = [{"type": "Ready", "status": "True"}, {"type": "Schedulable", "status": "True"}]
        lacks = [{"type": kind, "status": "False"} for kind in BLOCK_NOTHING]
        disk = {"storageMaximum": behaviour.free, "storageAvailable": behaviour.free, "storageScheduled": 0}
        status = {"conditions": ready + lacks, "diskStatus": {DISK: disk | {"conditions": ready}}}
        _set_status(api, LONGHORN_NODES, name, status)
    for name, value in behaviour.settings.items():
        _create(api, SETTINGS, {"metadata": {"name": name}, "value": value})
    with turns(partial(_turn, api, behaviour, {})):
        yield


def _turn(api: Api, behaviour: Behaviour, volumes: dict[str, _Looked]) -> None:
    with suppress(AcceptanceError):  # seen again at the next turn
        for volume in api.list(VOLUMES):
            claim = volume["spec"].get("claimRef") or {}
            if claim.get("name", "").startswith("rebuild-"):
                name = volume["metadata"]["name"]
                _look_after(api, behaviour, volume, volumes.setdefault(name, _Looked(behaviour)))
        _forget_removed(api)


class _Looked:
    """A volume, and when it was looked at last."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.volume = LabVolume(behaviour)
        self.at_s = 0.0


def _look_after(api: Api, behaviour: Behaviour, volume: Object, looked: _Looked) -> None:
    name = volume["metadata"]["name"]
    found = api.find(LONGHORN_VOLUMES, name, namespace=NAMESPACE)
    if found is None:
        _make(api, behaviour, volume)
        return
    now = time.monotonic()
    if now - looked.at_s < behaviour.looks_s:
        return
    looked.at_s = now
    replicas = {each["metadata"]["name"]: each["spec"] for each in _replicas(api, name)}
    modes = (api.get(ENGINES, f"{name}-e-0", namespace=NAMESPACE).get("status") or {}).get("replicaModeMap") or {}
    wanted = int(found["spec"]["numberOfReplicas"])
    turn = looked.volume.turn(now, wanted=wanted, replicas=replicas, modes=modes)
    for replica, spec in turn.specs.items():
        api.patch(REPLICAS, replica, {"spec": spec}, namespace=NAMESPACE)
    for replica, error in turn.failed.items():
        _set_rebuild_failed(api, replica, error)
    for replica in turn.deletes:
        api.delete(REPLICAS, replica, namespace=NAMESPACE)
    if turn.makes:  # in use when the engine is looked at next
        _make_replica(api, name, f"{name}-r-{int(1000 * now)}", node=turn.makes, **MADE)
    _set_engine(api, name, turn)
    whole = len([mode for mode in turn.modes.values() if mode == "RW"]) >= wanted
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
        _make_replica(api, name, replica, node=node, healthyAt=stamp())
    if behaviour.leftover:
        node = behaviour.nodes[behaviour.replicas]
        _make_replica(api, name, f"{name}-r-0", node=node, healthyAt=stamp(), failedAt=stamp())
    _set_engine(api, name, Turn(modes=dict.fromkeys(replicas, "RW")))
    _create(api, LONGHORN_VOLUMES, {"metadata": {"name": name}, "spec": spec})
    _set_volume(api, behaviour, volume, robustness=behaviour.robustness)


def _make_replica(api: Api, volume: str, name: str, *, node: str, **more: Any) -> None:
    spec = {"volumeName": volume, "nodeID": node, "active": True, "engineName": f"{volume}-e-0"} | more
    body = {"metadata": {"name": name, "labels": {OF_VOLUME: volume}}, "spec": spec}
    _create(api, REPLICAS, body)


def _replicas(api: Api, volume: str) -> list[Object]:
    return list(api.list(REPLICAS, namespace=NAMESPACE, labels=f"{OF_VOLUME}={volume}"))


def _set_rebuild_failed(api: Api, replica: str, error: str) -> None:
    condition = {"type": "RebuildFailed", "status": "True" if error else "False"}
    if error:
        condition |= {"reason": "General", "message": error}
    _set_status(api, REPLICAS, replica, {"conditions": [condition]})


def _set_engine(api: Api, volume: str, turn: Turn) -> None:
    """Maps are merged by the API server: what is no longer in them must be named."""
    name = f"{volume}-e-0"
    before = api.get(ENGINES, name, namespace=NAMESPACE).get("status") or {}
    in_use = {each["metadata"]["name"] for each in _replicas(api, volume) if not each["spec"].get("failedAt")}
    purged = {"isPurging": turn.purging, "progress": 0 if turn.purging else 100, "error": ""}
    new = {
        "replicaModeMap": turn.modes,
        "currentReplicaAddressMap": {replica: address(replica).removeprefix("tcp://") for replica in in_use},
        "rebuildStatus": turn.rebuilds,
        "purgeStatus": {address(each): purged for each, mode in turn.modes.items() if mode == "RW"},
    }
    status: Object = {"currentState": "running"}
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
