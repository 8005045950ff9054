"""Removing a set: it is over when its claims and the volumes behind them are gone, and other volumes are no matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.columns import Columns
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import CLAIMS, PODS, VOLUMES, Resource
from acceptance.cluster.stateful_sets import SetPlan, remove_set
from acceptance.text.errors import StorageFailure
from selftests.unit.paged_api_server import Clock

CLAIM = Claim(name="like", namespace="ns", storage_class="fast", size=2**30, run_id="r")
POD = PodPlan(name="load", claims=(CLAIM,), image="fio:1", command=["sh"], deadline_s=0)
PLAN = SetPlan(name="load", pod=POD)


def volume(name: str, *, claim: str = "volume-0-load-0", namespace: str = "ns", policy: str = "Delete") -> Any:
    return {
        "metadata": {
            "name": name,
            "creationTimestamp": "2026-11-21T07:15:03Z",
            "annotations": {"pv.kubernetes.io/provisioned-by": "example.com/driver"},
        },
        "spec": {"claimRef": {"name": claim, "namespace": namespace}, "persistentVolumeReclaimPolicy": policy},
        "status": {"phase": "Released"},
    }


class Cluster:
    """Claims go when they are deleted; `volumes` go one by one after that, each time that somebody looks."""

    def __init__(self, *volumes: Any, lasting: bool = False) -> None:
        self.volumes, self.lasting = list(volumes), lasting
        self.claims = ["volume-0-load-0", "volume-0-load-1", "others"]

    def delete(self, resource: Resource, name: str, **how: object) -> None:
        if resource is CLAIMS:
            self.claims.remove(name)

    def patch(self, resource: Resource, name: str, change: Any) -> None:
        """Labels of what stays."""

    def rows(self, columns: Columns[Any]) -> Iterator[Any]:
        return map(columns.of, self.list(columns.resource))

    def iterate(self, resource: Resource) -> Iterator[Any]:
        return iter(self.list(resource))

    def find(self, resource: Resource, name: str) -> Any:
        return next((each for each in self.list(resource) if each["metadata"]["name"] == name), None)

    def list(self, resource: Resource, **selection: object) -> list[Any]:
        if resource is PODS:
            return []
        if resource is CLAIMS:
            return [{"metadata": {"name": name, "creationTimestamp": "2026-11-21T07:15:02Z"}} for name in self.claims]
        assert resource is VOLUMES
        seen = list(self.volumes)
        if not self.lasting and self.claims == ["others"]:
            self.volumes[:1] = []
        return seen


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits in earnest."""
    Clock(monkeypatch)


def remove(cluster: Cluster) -> None:
    remove_set(cast(Api, cluster), PLAN, pods=2, timeout_s=0.5)


def test_it_waits_for_the_volumes_of_its_claims() -> None:
    cluster = Cluster(volume("first"), volume("second", claim="volume-0-load-1"))
    remove(cluster)
    assert (cluster.claims, cluster.volumes) == (["others"], [])


def test_a_volume_that_stays_is_named() -> None:
    with pytest.raises(StorageFailure, match=r"PVs to be deleted; last state: still exist: PV first \(Released\)"):
        remove(Cluster(volume("first"), lasting=True))


@pytest.mark.parametrize(
    "other",
    [volume("kept", policy="Retain"), volume("elsewhere", namespace="else"), volume("others", claim="others")],
    ids=lambda each: each["metadata"]["name"],
)
def test_volumes_that_are_not_to_go_are_not_waited_for(other: Any) -> None:
    remove(Cluster(other, lasting=True))
