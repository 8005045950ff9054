"""Room on the nodes: what does not fit is told by node and resource, before anything is made."""

from __future__ import annotations

from typing import Any

from acceptance.cluster.node_room import room_problems, total_room
from selftests.unit.paged_api_server import PagedApiServer

SMALL = {"cpu": "100m", "memory": "64Mi"}


def node(name: str, *, cpu: str = "2", memory: str = "4Gi", pods: str = "110") -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods}}}


def pod(on: str, *, cpu: str = "0", memory: str = "0", phase: str = "Running") -> dict[str, Any]:
    requests = {"resources": {"requests": {"cpu": cpu, "memory": memory}}}
    return {"spec": {"nodeName": on, "containers": [requests]}, "status": {"phase": phase}}


def problems(nodes: list[Any], pods: int, there_are: list[Any] | None = None) -> list[str]:
    return room_problems(nodes, there_are or [], pods=pods, requests=SMALL)


def test_what_fits_evenly_is_no_problem() -> None:
    assert problems([node("a"), node("b")], 40) == []


def test_the_resource_that_runs_out_first_is_named() -> None:
    assert problems([node("a"), node("b")], 42) == [
        "node a lacks cpu: 21 pods (100m each) would run there, 2 is free",
        "node b lacks cpu: 21 pods (100m each) would run there, 2 is free",
    ]
    assert "lacks memory: 3 pods (64Mi each)" in problems([node("a", memory="128Mi")], 3)[0]
    assert problems([node("a", pods="3")], 4) == ["node a lacks pods: 4 pods would run there, room for 3 is free"]


def test_what_runs_there_counts_and_what_has_ended_does_not() -> None:
    assert problems([node("a")], 20, [pod("a", cpu="1", phase="Succeeded"), pod("b", cpu="1")]) == []
    assert "1.5 is free" in problems([node("a")], 20, [pod("a", cpu="500m")])[0]


def test_one_full_node_is_enough_since_the_spread_is_even() -> None:
    """There would be room elsewhere, but not evenly."""
    (problem,) = problems([node("big", cpu="64"), node("small", cpu="100m")], 6)
    assert problem.startswith("node small lacks cpu: 3 pods")


def test_the_odd_pod_goes_where_there_is_more_room() -> None:
    assert problems([node("small", cpu="100m"), node("big", cpu="200m")], 3) == []
    assert len(problems([node("small", cpu="100m"), node("small-too", cpu="100m")], 3)) == 1


def test_pods_that_have_ended_are_not_asked_for() -> None:
    """A cluster that runs jobs has more of them than of others."""
    server = PagedApiServer()
    server.have("pods", {**pod("a", cpu="1500m"), "metadata": {"name": "web"}}, "shop")
    assert total_room(server.api, [node("a")], requests=SMALL) == 5
    ((asked, query),) = server.asked
    assert (asked, query["fieldSelector"]) == ("LIST pods", "status.phase!=Succeeded,status.phase!=Failed")


def test_init_containers_count_where_they_ask_for_more() -> None:
    heavy = pod("a", cpu="100m")
    heavy["spec"]["initContainers"] = [{"resources": {"requests": {"cpu": "1900m"}}}]
    assert problems([node("a")], 1, [heavy]) == []
    assert problems([node("a")], 2, [heavy]) != []
