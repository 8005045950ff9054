"""Simulated nodes beside real ones: many pods with claims come and go, faults to order, and no stray pods."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, NAMESPACES, PODS, SERVICE_ACCOUNTS, STATEFUL_SETS
from acceptance.cluster.volumes import volumes_of
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from selftests.lab.simulated_nodes import (
    NODE_LABEL,
    STORAGE_CLASS,
    crashing_pods,
    late_claims,
    late_pods,
    stalled_pods,
)

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.full,
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]

T = TypeVar("T")

PODS_AT_ONCE = 200


@pytest.fixture(scope="module")
def namespaces(api: Api) -> Iterator[list[str]]:
    """The namespaces of the tests so far; all are gone after the last test."""
    made: list[str] = []
    yield made
    for name in made:
        until(f"the end of {name}", partial(api.find, NAMESPACES, name), lambda found: found is None)


@pytest.fixture
def namespace(api: Api, simulated_nodes: list[str], namespaces: list[str]) -> Iterator[str]:
    """A namespace of the test's own."""
    name = f"simulated-{len(namespaces)}"
    api.create(NAMESPACES, {"metadata": {"name": name}})
    namespaces.append(name)
    until("the service account", partial(api.find, SERVICE_ACCOUNTS, "default", namespace=name), bool)
    yield name
    api.delete(NAMESPACES, name)


def until(what: str, look: Callable[[], T], ready: Callable[[T], bool], *, timeout_s: float = 240) -> None:
    wait_for(what, look=look, ready=ready, state=str, timeout_s=timeout_s)


def create_set(api: Api, namespace: str, *, pods: int) -> None:
    claim = {"storageClassName": STORAGE_CLASS, "accessModes": ["ReadWriteOnce"]}
    container = {"name": "main", "image": "none", "volumeMounts": [{"name": "volume", "mountPath": "/volume"}]}
    labels = {"app": "many"}
    api.create(
        STATEFUL_SETS,
        {
            "metadata": {"name": "many"},
            "spec": {
                "replicas": pods,
                "serviceName": "many",
                "podManagementPolicy": "Parallel",
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {
                        "nodeSelector": {NODE_LABEL: "true"},
                        "tolerations": [{"key": NODE_LABEL, "operator": "Exists"}],
                        "containers": [container],
                    },
                },
                "volumeClaimTemplates": [
                    {
                        "metadata": {"name": "volume"},
                        "spec": {**claim, "resources": {"requests": {"storage": "1Gi"}}},
                    }
                ],
            },
        },
        namespace=namespace,
    )


def phases(api: Api, namespace: str) -> dict[int, str]:
    """The phase of each pod by ordinal."""
    return {
        int(pod["metadata"]["name"].rpartition("-")[2]): pod["status"]["phase"]
        for pod in api.list(PODS, namespace=namespace)
    }


def volumes(api: Api, namespace: str) -> set[str]:
    """The volumes of the namespace's claims."""
    return {volume["metadata"]["name"] for volume in volumes_of(api, namespace=namespace)}


def all_running(count: int) -> Callable[[dict[int, str]], bool]:
    return lambda seen: seen == dict.fromkeys(range(count), "Running")


def test_many_pods_come_and_go_with_all_that_was_theirs(api: Api, namespace: str, simulated_nodes: list[str]) -> None:
    create_set(api, namespace, pods=PODS_AT_ONCE)
    until("all pods to run", lambda: phases(api, namespace), all_running(PODS_AT_ONCE))

    assert {pod["spec"]["nodeName"] for pod in api.list(PODS, namespace=namespace)} == set(simulated_nodes)
    claims = api.list(CLAIMS, namespace=namespace)
    provisioned = volumes(api, namespace)
    assert len(claims) == len(provisioned) == PODS_AT_ONCE
    assert {claim["spec"]["volumeName"] for claim in claims} == provisioned

    def attached() -> set[str]:
        found = [each for each in api.list(ATTACHMENTS) if each["status"]["attached"]]
        return {each["spec"]["source"]["persistentVolumeName"] for each in found} & provisioned

    until("all volumes to be attached", attached, lambda seen: seen == provisioned)

    api.delete(STATEFUL_SETS, "many", namespace=namespace)
    until("the pods to be deleted", lambda: phases(api, namespace), lambda seen: not seen)
    for claim in claims:
        api.delete(CLAIMS, claim["metadata"]["name"], namespace=namespace)
    until("the volumes to be deleted", lambda: volumes(api, namespace), lambda seen: not seen)
    until("the attachments to be deleted", attached, lambda seen: not seen)


def test_pods_are_late_from_an_ordinal_on(api: Api, namespace: str) -> None:
    with late_pods(api, from_ordinal=2, seconds=15):
        create_set(api, namespace, pods=4)
        some = {0: "Running", 1: "Running", 2: "Pending", 3: "Pending"}
        until("two pods to run", lambda: phases(api, namespace), lambda seen: seen == some)
        until("the others to run", lambda: phases(api, namespace), all_running(4))


def test_pods_stall_from_an_ordinal_on(api: Api, namespace: str) -> None:
    with stalled_pods(api, from_ordinal=1):
        create_set(api, namespace, pods=3)
        one = {0: "Running", 1: "Pending", 2: "Pending"}
        until("one pod to run", lambda: phases(api, namespace), lambda seen: seen == one)
        with pytest.raises(StorageFailure):
            until("another to run", lambda: phases(api, namespace), all_running(3), timeout_s=5)
    assert phases(api, namespace) == one


def test_claims_are_late_from_an_ordinal_on(api: Api, namespace: str) -> None:
    def bound() -> list[str]:
        found = api.list(CLAIMS, namespace=namespace)
        return sorted(each["metadata"]["name"] for each in found if each["status"]["phase"] == "Bound")

    with late_claims(api, from_ordinal=1, seconds=15):
        create_set(api, namespace, pods=2)
        until("a claim to be bound", bound, lambda seen: seen == ["volume-many-0"])
        until("both pods to run", lambda: phases(api, namespace), all_running(2))


def test_pods_crash_from_an_ordinal_on(api: Api, namespace: str) -> None:
    def restarts() -> dict[int, int]:
        found = api.list(PODS, namespace=namespace)
        statuses = {int(pod["metadata"]["name"][-1]): pod["status"].get("containerStatuses") for pod in found}
        return {ordinal: status[0]["restartCount"] for ordinal, status in statuses.items() if status}

    with crashing_pods(api, from_ordinal=1, seconds=1):
        create_set(api, namespace, pods=3)
        until("two restarts", restarts, lambda seen: seen.get(1, 0) >= 2 and seen.get(2, 0) >= 2)
        assert restarts()[0] == 0

        def states() -> set[str]:
            pods = api.list(PODS, namespace=namespace, fields="metadata.name=many-1")
            return {word for pod in pods for word in pod["status"]["containerStatuses"][0]["state"]}

        until("a pod that waits to be started again", states, lambda seen: seen == {"waiting"})


def test_pods_of_others_never_land_there(api: Api, namespace: str, simulated_nodes: list[str]) -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    for name, storage_class in (("shared", "replicated"), ("simulated", STORAGE_CLASS)):
        body = {"metadata": {"name": name}, "spec": {**claim, "storageClassName": storage_class}}
        api.create(CLAIMS, body, namespace=namespace)

    # Provisioned by a pod that tolerates every taint; played by KWOK it would never end, and the claim never bind.
    def phase() -> str:
        return str(api.get(CLAIMS, "shared", namespace=namespace)["status"]["phase"])

    until("the real claim to be bound", phase, lambda seen: seen == "Bound")

    spec = {"containers": [{"name": "main", "image": "none"}]}
    volume = [{"name": "volume", "persistentVolumeClaim": {"claimName": "simulated"}}]
    api.create(
        PODS,
        {"metadata": {"name": "asks"}, "spec": {**spec, "nodeSelector": {NODE_LABEL: "true"}}},
        namespace=namespace,
    )
    api.create(PODS, {"metadata": {"name": "uses"}, "spec": {**spec, "volumes": volume}}, namespace=namespace)
    for number in range(8):
        api.create(PODS, {"metadata": {"name": f"ordinary-{number}"}, "spec": spec}, namespace=namespace)

    def nodes() -> dict[str, str | None]:
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in api.list(PODS, namespace=namespace)}

    ordinary = {f"ordinary-{number}" for number in range(8)}
    until("a node for each", nodes, lambda seen: ordinary <= {name for name, node in seen.items() if node})
    assert set(nodes().values()).isdisjoint(simulated_nodes)
    assert (nodes()["asks"], nodes()["uses"]) == (None, None)


def test_kwok_has_only_its_rights(cluster: embedded_cluster.EmbeddedCluster, simulated_nodes: list[str]) -> None:
    layout = Layout(cluster.name)
    kwok = Kubectl(program=Kubectl.of(layout).program, kubeconfig=layout.pki / "kwok.kubeconfig")
    assert kwok.get("nodes", f"--selector={NODE_LABEL}")
    for forbidden in (["get", "secrets", "-A"], ["delete", "node", simulated_nodes[0]], ["get", "leases", "-A"]):
        with pytest.raises(EnvironmentFailure, match="forbidden"):
            kwok.run(*forbidden)
