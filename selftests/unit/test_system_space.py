"""What Longhorn and Ceph say is free, in volumes with all their replicas, in the shapes of their objects."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster.longhorn_resources import LONGHORN_NODES, SETTINGS
from acceptance.trials.rebuild.ceph_space import BLOCK_POOLS, CEPH_CLUSTERS, ceph_space, copies_of, free_bytes
from acceptance.trials.rebuild.longhorn_space import DEFAULTS, free_by_node, longhorn_space, space_for_volumes
from selftests.unit.simulated_api import SimulatedApi

READY = [{"type": "Ready", "status": "True"}, {"type": "Schedulable", "status": "True"}]
NAMESPACE, ROOK = "longhorn-system", "rook-ceph"


def disk(**told: Any) -> dict[str, Any]:
    """Of 1000 bytes, half of them free, 100 promised to replicas that are there."""
    status = {"storageMaximum": 1000, "storageAvailable": 500, "storageScheduled": 100, "conditions": READY}
    return status | told


def node(name: str, *disks: dict[str, Any], spec: Any = None, **of_disk: Any) -> dict[str, Any]:
    named = {f"disk-{number}": each for number, each in enumerate(disks)}
    allowed = {key: {"allowScheduling": True, "storageReserved": 200} | of_disk for key in named}
    return {
        "metadata": {"name": name},
        "spec": {"allowScheduling": True, "disks": allowed} | (spec or {}),
        "status": {"conditions": READY, "diskStatus": named},
    }


def free(*nodes: dict[str, Any], settings: dict[str, int] | None = None, **parameters: str) -> dict[str, int] | None:
    return free_by_node(nodes, parameters=parameters, settings=DEFAULTS | (settings or {}))


def test_a_disk_takes_what_is_not_promised_and_not_more_than_is_there_beyond_what_stays_free() -> None:
    """Of 800 that are not reserved 700 are not promised; of 500 that are there a quarter of the disk stays free."""
    assert free(node("a", disk())) == {"a": 250}
    assert free(node("a", disk(storageScheduled=750))) == {"a": 50}
    assert free(node("a", disk(storageScheduled=750)), settings={"storage-over-provisioning-percentage": 200}) == {
        "a": 250
    }
    assert free(node("a", disk(storageScheduled=900))) == {"a": 0}
    assert free(node("a", disk(), disk(storageAvailable=300))) == {"a": 300}


@pytest.mark.parametrize(
    "unusable",
    [
        node("a", disk(conditions=[{"type": "Schedulable", "status": "False"}])),
        node("a", disk(), allowScheduling=False),
        node("a", disk(), evictionRequested=True),
    ],
)
def test_a_disk_that_takes_no_replica_has_nothing_free(unusable: dict[str, Any]) -> None:
    assert free(unusable) == {"a": 0}


def test_a_node_that_takes_no_replica_is_none() -> None:
    assert free(node("a", disk(), spec={"allowScheduling": False}), node("b", disk())) == {"b": 250}


def test_tags_that_the_class_asks_for_are_all_there() -> None:
    tagged = node("a", disk(), spec={"tags": ["rack-1"]}, tags=["ssd", "fast"])
    tagged["spec"]["disks"]["disk-0"]["tags"] = ["ssd", "fast"]
    assert free(tagged, node("b", disk()), nodeSelector="rack-1", diskSelector="ssd,fast") == {"a": 250}
    assert free(tagged, diskSelector="nvme") == {"a": 0}


def test_nodes_that_tell_nothing_of_their_disks_leave_it_unknown() -> None:
    assert free({"metadata": {"name": "a"}, "spec": {"allowScheduling": True}, "status": {}}) is None
    assert free() is None


@pytest.mark.parametrize(
    ("there", "replicas", "volumes"),
    [
        ([100, 100, 100], 3, 100),
        ([100, 100, 100], 1, 300),
        ([500, 500, 10], 3, 10),
        ([500, 500, 10], 2, 505),
        ([900, 10, 10], 2, 20),
        ([100, 50], 3, 50),
        ([], 3, 0),
    ],
)
def test_replicas_of_a_volume_are_on_different_nodes(there: list[int], replicas: int, volumes: int) -> None:
    assert space_for_volumes(there, replicas=replicas) == volumes


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 3))
def test_as_many_volumes_fit_as_can_be_placed_one_by_one(there: list[int], replicas: int) -> None:
    """Volumes of a byte each, always on the nodes that have most."""
    if len(there) < replicas:
        return
    left, placed = sorted(there, reverse=True), 0
    while all(left[:replicas]):
        left = sorted([each - (number < replicas) for number, each in enumerate(left)], reverse=True)
        placed += 1
    assert space_for_volumes(there, replicas=replicas) == placed
    assert all(sum(some) >= placed for some in combinations(there, len(there) - replicas + 1))


def longhorn(*nodes: dict[str, Any], forbidden: tuple[str, ...] = (), **settings: str) -> SimulatedApi:
    api = SimulatedApi({"longhorn.io": ["v1beta2"]}, forbidden=forbidden)
    for each in nodes:
        api.create(LONGHORN_NODES, each)
    for name, value in settings.items():
        api.create(SETTINGS, {"metadata": {"name": name.replace("_", "-")}, "value": value})
    return api


def space(api: SimulatedApi, **parameters: str) -> int | None:
    return longhorn_space(api, NAMESPACE, parameters=parameters)  # type: ignore[arg-type]


def test_longhorn_is_asked_for_its_nodes_and_settings() -> None:
    nodes = [node(name, disk()) for name in "abc"]
    assert space(longhorn(*nodes)) == 250
    assert space(longhorn(*nodes), numberOfReplicas="1") == 750
    assert space(longhorn(*nodes, storage_minimal_available_percentage="10"), numberOfReplicas="1") == 1200
    assert space(longhorn(*nodes, storage_minimal_available_percentage="?"), numberOfReplicas="many") == 250


def test_where_longhorn_may_not_be_read_or_is_not_there_it_is_not_known() -> None:
    nodes = [node(name, disk()) for name in "abc"]
    assert space(longhorn(*nodes, forbidden=("list nodes",))) is None
    assert space(longhorn(*nodes, forbidden=("list settings",))) is None
    assert space(SimulatedApi({"longhorn.io": ["v1beta1"]})) is None


def cluster(**capacity: int) -> dict[str, Any]:
    return {"metadata": {"name": "rook-ceph"}, "status": {"ceph": {"capacity": capacity}}}


def pool(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "replicapool"}, "spec": spec}


def ceph(*pools: dict[str, Any], forbidden: tuple[str, ...] = (), free: int = 900) -> SimulatedApi:
    api = SimulatedApi({"ceph.rook.io": ["v1"]}, forbidden=forbidden)
    api.create(CEPH_CLUSTERS, cluster(bytesTotal=1000, bytesAvailable=free))
    for each in pools:
        api.create(BLOCK_POOLS, each)
    return api


def of_ceph(api: SimulatedApi, namespace: str = ROOK, **parameters: str) -> int | None:
    return ceph_space(api, namespace, parameters=parameters)  # type: ignore[arg-type]


def test_a_pools_copies_share_what_is_free() -> None:
    assert of_ceph(ceph(pool(replicated={"size": 2})), pool="replicapool") == 450
    assert of_ceph(ceph(pool(replicated={"size": 2})), pool="another") == 300
    coded = pool(erasureCoded={"dataChunks": 4, "codingChunks": 2})
    assert of_ceph(ceph(coded), pool="metadata", dataPool="replicapool") == 600
    assert copies_of(None) == (3, 1)


def test_a_cluster_that_is_full_says_so_and_one_that_says_nothing_is_not_known() -> None:
    assert free_bytes(cluster(bytesTotal=1000, bytesUsed=1000)) == 0
    assert free_bytes({"metadata": {"name": "x"}}) is None
    assert of_ceph(SimulatedApi({"ceph.rook.io": ["v1"]})) is None


def test_where_ceph_may_not_be_read_or_is_not_rooks_it_is_not_known() -> None:
    assert of_ceph(ceph(forbidden=("list cephclusters",))) is None
    assert of_ceph(ceph(forbidden=("list cephblockpools",))) is None
    assert of_ceph(SimulatedApi({})) is None
    assert of_ceph(ceph(), "../../nodes") is None
