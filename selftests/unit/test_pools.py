"""Which pools are behind which classes, and who is asked for what is free in them."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.longhorn_resources import LONGHORN_NODES
from acceptance.cluster.resources import NODES, STORAGE_CAPACITIES
from acceptance.planning.pools import Pool, pools_of
from acceptance.results.clusters import StorageClass
from acceptance.settings.pod_template import PodTemplate
from acceptance.settings.target_file import Target, read_target
from acceptance.settings.targets import target_path
from acceptance.trials.rebuild.ceph_space import CEPH_CLUSTERS
from selftests.unit.simulated_api import SimulatedApi
from selftests.unit.test_system_space import cluster, disk, node

LONGHORN, RBD = "driver.longhorn.io", "rook-ceph.rbd.csi.ceph.com"


def storage_class(name: str = "fast", provisioner: str = "csi.example.com", **more: Any) -> StorageClass:
    fields: dict[str, Any] = {
        "name": name,
        "provisioner": provisioner,
        "parameters": {},
        "binding_mode": "WaitForFirstConsumer",
        "reclaim_policy": "Delete",
        "allow_expansion": False,
        "default": False,
    }
    return StorageClass(**(fields | more))


def lab(*capacities: tuple[str, str, str]) -> SimulatedApi:
    """Two nodes that take pods, one that does not; what drivers tell: class, host, capacity."""
    api = SimulatedApi({"longhorn.io": ["v1beta2"], "ceph.rook.io": ["v1"]})
    for number in (1, 2, 3):
        name = f"node-{number}"
        spec = {"taints": [{"key": "a", "effect": "NoSchedule"}]} if number == 3 else {}
        status = {"conditions": [{"type": "Ready", "status": "True"}]}
        labels = {"kubernetes.io/hostname": name}
        api.create(NODES, {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": status})
    for number, (of, host, free) in enumerate(capacities):
        topology = {"matchLabels": {"kubernetes.io/hostname": host}}
        told = {"storageClassName": of, "nodeTopology": topology, "capacity": free}
        api.create(STORAGE_CAPACITIES, {"metadata": {"name": f"capacity-{number}"}, **told})
    return api


def pools(
    api: SimulatedApi, *classes: StorageClass, target: Target | None = None, other_nodes: bool = False
) -> tuple[Pool, ...]:
    return pools_of(api, classes, target=target, other_nodes=other_nodes, template=PodTemplate())  # type: ignore[arg-type]


def names(pool: Pool) -> list[str]:
    return [segment.name.rpartition("=")[2] for segment in pool.segments]


LOCAL = [("fast", f"node-{number}", "10Gi") for number in (1, 2, 3)]


def test_a_class_that_waits_for_its_pod_takes_from_the_nodes_that_pods_go_to() -> None:
    (found,) = pools(lab(*LOCAL), storage_class())
    assert (names(found), found.nodes, found.evenly, found.source) == (
        ["node-1", "node-2"],
        2,
        True,
        "CSIStorageCapacity",
    )


@pytest.mark.parametrize("more", [{"binding_mode": "Immediate"}, {}], ids=["binds at once", "other nodes"])
def test_elsewhere_volumes_may_be_in_any_segment(more: dict[str, str]) -> None:
    (found,) = pools(lab(*LOCAL), storage_class(**more), other_nodes=not more)
    assert (names(found), found.evenly) == (["node-1", "node-2", "node-3"], False)


def test_a_class_that_nobody_tells_of_has_no_pool() -> None:
    assert pools(lab(*LOCAL), storage_class("slow")) == ()


def test_classes_of_a_provisioner_share_each_others_pools() -> None:
    others = [storage_class("fast-too"), storage_class("local", "rancher.io/local-path")]
    (found,) = pools(lab(*LOCAL), storage_class(), *others)
    assert found.sharing == {"fast", "fast-too"}


SYSTEMS = [("longhorn", LONGHORN, "Longhorn's nodes", 250), ("rook-ceph", RBD, "CephCluster in rook-ceph", 300)]


def with_systems() -> SimulatedApi:
    api = lab()
    for name in "abc":
        api.create(LONGHORN_NODES, node(name, disk()))
    api.create(CEPH_CLUSTERS, cluster(bytesTotal=1000, bytesAvailable=900))
    return api


@pytest.mark.parametrize(("target", "provisioner", "source", "free"), SYSTEMS)
def test_a_known_system_is_asked_where_it_is_named(target: str, provisioner: str, source: str, free: int) -> None:
    named = read_target(target_path(target))
    (found,) = pools(with_systems(), storage_class(provisioner=provisioner), target=named)
    assert (found.source, [segment.free for segment in found.segments], found.evenly) == (source, [free], False)
    assert pools(with_systems(), storage_class(provisioner=provisioner)) == ()
    assert pools(with_systems(), storage_class(), target=named) == ()


def test_rook_calls_a_cluster_by_its_namespace() -> None:
    named = read_target(target_path("rook-ceph"))
    (found,) = pools(with_systems(), storage_class(provisioner=RBD, parameters={"clusterID": "rook-two"}), target=named)
    assert found.source == "CephCluster in rook-two"
