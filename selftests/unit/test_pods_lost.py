"""What the cluster or someone did to a pod is told from what the storage did."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import lost_to_the_cluster
from acceptance.cluster.pods import lost_node, wait_ended
from acceptance.cluster.resources import NAMESPACES, NODES, PODS, Object, Resource
from acceptance.errors import EnvironmentFailure

CLAIM = Claim(name="c", namespace="ns", storage_class="fast", size=1, run_id="r")
PLAN = PodPlan(name="p", claims=(CLAIM,), image="i", command=["sh"], deadline_s=1)


def pod(phase: str = "Failed", *, deleted: bool = False, ended: Object | None = None, **status: Any) -> Object:
    metadata = {"name": "p", "namespace": "ns"} | ({"deletionTimestamp": "2026-11-21T12:00:00Z"} if deleted else {})
    containers = [] if ended is None else [{"name": "load", "state": {"terminated": ended}}]
    return {
        "metadata": metadata,
        "spec": {"nodeName": "node-1"},
        "status": {"phase": phase, "containerStatuses": containers, **status},
    }


def disrupted(reason: str) -> list[Object]:
    return [{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "said so"}]


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (pod(reason="Evicted", message="The node was low on resource: memory."), "Evicted: The node was low on"),
        (pod(conditions=disrupted("EvictionByEvictionAPI")), "EvictionByEvictionAPI: said so"),
        (pod("Running", conditions=disrupted("DeletionByTaintManager")), "DeletionByTaintManager: said so"),
        (pod(ended={"exitCode": 137, "reason": "OOMKilled"}), "OOMKilled: container load ran out of the memory"),
        (pod(ended={"exitCode": 255, "reason": "Error"}), "went with its node node-1"),
        (pod(ended={"exitCode": 137, "reason": "ContainerStatusUnknown"}), "went with its node node-1"),
        (pod("Running", deleted=True), "deleted while it was needed"),
    ],
)
def test_what_is_no_fault_of_the_storage(seen: Object, said: str) -> None:
    assert said in str(lost_to_the_cluster(seen))


@pytest.mark.parametrize(
    "seen",
    [
        pod(ended={"exitCode": 1, "reason": "Error"}),
        pod(reason="DeadlineExceeded", message="Pod was active on the node longer than the specified deadline"),
        pod("Succeeded", deleted=True, ended={"exitCode": 0, "reason": "Completed"}),
        pod("Running"),
    ],
)
def test_what_the_cluster_has_no_part_in(seen: Object) -> None:
    assert lost_to_the_cluster(seen) is None


class Cluster:
    """Has only these objects."""

    def __init__(self, **objects: Object) -> None:
        self.objects = objects

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        return self.objects.get(resource.plural)

    def list(self, *_: Any, **__: Any) -> list[Object]:
        return []


NAMESPACE = {"metadata": {"name": "ns"}}
GOING = {"metadata": {"name": "ns", "deletionTimestamp": "2026-11-21T12:00:00Z"}}


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ({NAMESPACES.plural: NAMESPACE}, "pod p on storage class fast was deleted while it was needed"),
        ({NAMESPACES.plural: NAMESPACE, PODS.plural: pod("Running", deleted=True)}, "pod p on storage class fast"),
        ({NAMESPACES.plural: GOING, PODS.plural: pod("Running", deleted=True)}, "namespace ns was deleted"),
        ({}, "namespace ns was deleted while the run needed it"),
    ],
)
def test_a_pod_that_was_taken_away_is_not_waited_for(there: dict[str, Object], said: str) -> None:
    with pytest.raises(EnvironmentFailure, match=said):
        wait_ended(cast(Api, Cluster(**there)), PLAN, timeout_s=30)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (None, "node node-1 is gone"),
        ({"status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "stopped"}]}}, "not ready"),
        ({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "None"),
    ],
)
def test_a_node_that_nobody_hears_of(node: Object | None, said: str) -> None:
    there = {} if node is None else {NODES.plural: node}
    assert said in str(lost_node(cast(Api, Cluster(**there)), pod("Running")))
