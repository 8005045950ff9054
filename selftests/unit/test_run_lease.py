"""Whether a run is alive is told by the API server's clock alone, and runs that meet know of each other."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.other_runs import OtherRuns
from acceptance.cluster.resources import NAMESPACES, PODS, Object, Resource
from acceptance.cluster.run_namespace import ALIVE_FOR_S, alive, alive_for_s, is_alive

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
LABELS = {"storage-acceptance/run": "x", "app.kubernetes.io/managed-by": "storage-acceptance"}


def stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


class Cluster:
    """Namespaces with a lease each, and a clock."""

    def __init__(self) -> None:
        self.leases: dict[str, Object] = {}
        self.pods: list[Object] = []

    def now(self) -> datetime:
        return NOW

    def have_run(self, run_id: str, *, written: datetime | None, says: datetime = NOW) -> None:
        fields = [] if written is None else [{"manager": "suite", "time": stamp(written)}]
        self.leases[f"storage-acceptance-{run_id}"] = {
            "metadata": {"name": "run", "managedFields": fields, "annotations": {}},
            "spec": {"renewTime": stamp(says)},
        }

    def have_pod(self, run_id: str, node: str) -> None:
        namespace = f"storage-acceptance-{run_id}"
        self.pods.append({"metadata": {"namespace": namespace, "name": "p"}, "spec": {"nodeName": node}})

    def list(self, resource: Resource, *, labels: str, slim: Any = dict, **_: Any) -> list[Object]:
        found = self.pods if resource is PODS else [{"metadata": {"name": name}} for name in self.leases]
        return [slim(each) for each in found]

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        if resource is NAMESPACES:
            return {"metadata": {"name": name, "creationTimestamp": stamp(NOW)}} if name in self.leases else None
        return self.leases.get(str(namespace))

    def create(self, resource: Resource, body: Object, *, namespace: str) -> None:
        self.have_run(namespace.removeprefix("storage-acceptance-"), written=NOW)

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str) -> Object:
        lease = self.leases[namespace]
        lease["metadata"]["annotations"] |= body.get("metadata", {}).get("annotations", {})
        return lease


@pytest.mark.parametrize("wrong", [timedelta(hours=-1), timedelta(), timedelta(hours=1)])
@pytest.mark.parametrize(("ago_s", "lives"), [(1, True), (ALIVE_FOR_S - 1, True), (ALIVE_FOR_S + 1, False)])
def test_a_wrong_clock_neither_kills_a_run_nor_keeps_it(wrong: timedelta, ago_s: float, lives: bool) -> None:
    cluster = Cluster()
    written = NOW - timedelta(seconds=ago_s)
    cluster.have_run("a", written=written, says=written + wrong)
    assert is_alive(cast(Api, cluster), namespace="storage-acceptance-a") == lives


@pytest.mark.parametrize(("ago_s", "left_s"), [(0, 300.0), (12, 288.0), (299, 1.0), (300, 0.0), (4000, 0.0)])
def test_it_is_known_when_a_run_that_gives_no_sign_counts_as_dead(ago_s: float, left_s: float) -> None:
    cluster = Cluster()
    cluster.have_run("a", written=NOW - timedelta(seconds=ago_s))
    assert alive_for_s(cast(Api, cluster), namespace="storage-acceptance-a") == left_s
    assert alive_for_s(cast(Api, cluster), namespace="storage-acceptance-none") == 0.0


def test_a_lease_that_cannot_be_read_lets_a_run_live() -> None:
    cluster = Cluster()
    cluster.have_run("a", written=None)
    cluster.leases["storage-acceptance-a"]["spec"]["renewTime"] = "yesterday"
    assert alive_for_s(cast(Api, cluster), namespace="storage-acceptance-a") == math.inf


def test_a_server_that_notes_no_times_is_taken_at_the_runs_word() -> None:
    cluster = Cluster()
    cluster.have_run("a", written=None, says=NOW - timedelta(seconds=ALIVE_FOR_S + 1))
    assert not is_alive(cast(Api, cluster), namespace="storage-acceptance-a")


def test_both_know_of_each_other_and_of_the_node_that_they_share() -> None:
    cluster = Cluster()
    api = cast(Api, cluster)
    told: dict[str, dict[str, str]] = {"a": {}, "b": {}}
    others = {run: OtherRuns(api, run_id=run, warn=told[run].__setitem__) for run in told}
    with alive(api, run_id="a", other_runs=others["a"]):
        assert told["a"] == {}
        cluster.have_pod("a", "node-1")
        with alive(api, run_id="b", other_runs=others["b"]):
            assert "another run of this suite, a," in told["b"]["a"] and "node" not in told["b"]["a"]
            cluster.have_pod("b", "node-1")
            cluster.have_pod("b", "node-2")
        assert "on the same nodes (node-1)" in told["b"]["a"]
    assert "another run of this suite, b," in told["a"]["b"] and "(node-1)" in told["a"]["b"]


def test_what_a_dead_run_left_is_no_other_run() -> None:
    cluster = Cluster()
    cluster.have_run("dead", written=NOW - timedelta(hours=1))
    told: dict[str, str] = {}
    with alive(
        cast(Api, cluster), run_id="a", other_runs=OtherRuns(cast(Api, cluster), run_id="a", warn=told.__setitem__)
    ):
        pass
    assert told == {}
