"""What the cluster or someone did to a pod is told from what the storage did."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster import one_shot_pod
from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.one_shot_pod import NotStarted, run_one_shot_pod
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.cluster.pod_states import (
    cpu_limit_problem,
    exit_status_of,
    lost_to_the_cluster,
    main_ended,
    main_runs,
    main_started,
)
from acceptance.cluster.pods import lost_node, start_problem, wait_ended, wait_started
from acceptance.cluster.resources import CLAIMS, EVENTS, NAMESPACES, NODES, PODS, Object, Resource
from acceptance.cluster.workspace import Workspace
from acceptance.text.errors import EnvironmentFailure, StorageFailure, Unsupported

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
        (pod(ended={"exitCode": 137, "reason": "OOMKilled"}), "OOMKilled: container load exceeded its memory limit"),
        (pod(ended={"exitCode": 255, "reason": "Error"}), "was lost with its node node-1"),
        (pod(ended={"exitCode": 137, "reason": "ContainerStatusUnknown"}), "was lost with its node node-1"),
        (pod("Running", deleted=True), "deleted by someone else during the run; see the API server's audit log"),
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


def beside(own: Object, other: Object) -> Object:
    """A pod whose own container is in the one state, and one that the cluster added in the other."""
    containers = [{"name": "mesh", "state": other}, {"name": "load", "state": own}]
    return pod("Running") | {"status": {"phase": "Running", "containerStatuses": containers}}


def test_what_the_cluster_adds_to_a_pod_says_nothing_of_its_own_container() -> None:
    runs, well, badly = {"running": {}}, {"terminated": {"exitCode": 0}}, {"terminated": {"exitCode": 1}}
    over = beside(well, runs)
    assert main_ended(over) and exit_status_of(over) == 0 and not main_runs(over)
    failed = beside(badly, runs)
    assert main_ended(failed) and exit_status_of(failed) == 1
    going = beside(runs, {"terminated": {"exitCode": 137, "reason": "OOMKilled"}})
    assert main_runs(going) and not main_ended(going) and lost_to_the_cluster(going) is None
    waiting = beside({"waiting": {"reason": "PodInitializing"}}, runs)
    assert not main_started(waiting) and not main_runs(waiting)
    cannot = {"waiting": {"reason": "CreateContainerError", "message": "no such file"}}
    assert start_problem(cast(Api, Cluster()), PLAN, beside(runs, cannot)) is None
    assert "cannot start: CreateContainerError" in str(start_problem(cast(Api, Cluster()), PLAN, beside(cannot, runs)))


def test_a_limit_of_cpu_that_was_not_asked_for_is_told() -> None:
    made = pod_manifest(PLAN)
    assert cpu_limit_problem(made) is None
    made["spec"]["containers"].insert(0, {"name": "mesh", "resources": {"limits": {"cpu": "100m"}}})
    assert cpu_limit_problem(made) is None, "what the cluster adds may have one"
    made["spec"]["containers"][1]["resources"]["limits"]["cpu"] = "500m"
    problem = str(cpu_limit_problem(made))
    assert problem.startswith("pod p was requested without a CPU limit") and "set a limit of 500m" in problem


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
        ({NAMESPACES.plural: NAMESPACE}, "pod p on StorageClass fast was deleted by someone else during the run"),
        ({NAMESPACES.plural: NAMESPACE, PODS.plural: pod("Running", deleted=True)}, "pod p on StorageClass fast"),
        ({NAMESPACES.plural: GOING, PODS.plural: pod("Running", deleted=True)}, "namespace ns was deleted"),
        ({}, "namespace ns was deleted by someone else during the run"),
    ],
)
def test_a_pod_that_was_taken_away_is_not_waited_for(there: dict[str, Object], said: str) -> None:
    with pytest.raises(EnvironmentFailure, match=said):
        wait_ended(cast(Api, Cluster(**there)), PLAN, timeout_s=30)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (None, "node node-1 no longer exists"),
        ({"status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "stopped"}]}}, "not ready"),
        ({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "None"),
    ],
)
def test_a_node_that_nobody_hears_of(node: Object | None, said: str) -> None:
    there = {} if node is None else {NODES.plural: node}
    assert said in str(lost_node(cast(Api, Cluster(**there)), pod("Running")))


@pytest.mark.parametrize(
    ("met", "told"),
    [(Unsupported, Unsupported), (StorageFailure, NotStarted), (EnvironmentFailure, EnvironmentFailure)],
)
def test_a_pod_whose_class_has_no_such_volumes_has_not_just_not_started(
    met: type[Exception], told: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a class lacks is skipped; a pod that does not start fails it."""

    def refuse(*_: Any, **__: Any) -> None:
        raise met("StorageClass fast has none")

    for name in ("create_pod", "end_pod"):
        monkeypatch.setattr(one_shot_pod, name, lambda *_, **__: None)
    monkeypatch.setattr(one_shot_pod, "wait_started", refuse)
    workspace = Workspace(api=cast(Api, None), run_id="r", namespace="ns", image="i", timeout_s=1)
    with pytest.raises(told, match="StorageClass fast has none") as raised:
        run_one_shot_pod(workspace, PLAN, timeout_s=1)
    assert raised.type is told


class Told:
    """A pod that stays Pending, and the events about it and its claim."""

    def __init__(self, *, claim: str = "Pending", **events: Object) -> None:
        self.claim, self.events = claim, events

    def find(self, resource: Resource, name: str, **_: Any) -> Object:
        return {"status": {"phase": self.claim}} if resource is CLAIMS else pod("Pending")

    get = find

    def list(self, resource: Resource, *, fields: str = "", **_: Any) -> list[Object]:
        assert resource is EVENTS
        about, _, kind = fields.removeprefix("involvedObject.name=").partition(",type=")
        return [each for name, each in self.events.items() if name == about and kind in ("", each["type"])]


def event(kind: str, reason: str, message: str) -> Object:
    return {"type": kind, "reason": reason, "message": message, "metadata": {}}


def test_a_pod_that_waits_for_its_volume_is_told_with_what_the_provisioner_says() -> None:
    """Of a class that waits for a pod: the pod itself has no event."""
    failed = event("Warning", "ProvisioningFailed", "no such pool")
    with pytest.raises(StorageFailure) as found:
        wait_started(cast(Api, Told(c=failed)), PLAN, timeout_s=0.2)
    assert "phase Pending" in str(found.value) and "PVC c: Warning ProvisioningFailed: no such pool" in str(found.value)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Pending", event("Normal", "WaitForFirstConsumer", "waiting")),
        ("Bound", event("Warning", "ProvisioningFailed", "no such pool")),
    ],
    ids=["nothing is wrong", "a later try did it"],
)
def test_a_claim_of_which_all_is_well_is_not_told_of(claim: str, told: Object) -> None:
    api = Told(claim=claim, c=told, p=event("Normal", "Scheduled", "to n1"))
    with pytest.raises(StorageFailure) as found:
        wait_started(cast(Api, api), PLAN, timeout_s=0.2)
    assert "PVC c" not in str(found.value) and "Scheduled: to n1" in str(found.value)
