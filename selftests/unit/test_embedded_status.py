"""A cluster that is busy is not one that is damaged: what may pass is given the time, what cannot is told at once."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from embedded_cluster import status as module
from embedded_cluster.layout import Layout
from embedded_cluster.processes import started_ticks
from embedded_cluster.state import ClusterState, ProcessRecord
from embedded_cluster.status import Status, status, steady_status

LAYOUT = Layout("unit-test")
WELL = Status(running=True, problems=(), lines=())
LATE = Status(running=True, problems=("node unit-test-node-1 is not Ready",), lines=(), may_pass=True)
DEAD = Status(running=True, problems=("etcd is dead",), lines=())


def looks(monkeypatch: pytest.MonkeyPatch, *found: Status) -> Iterator[Status]:
    """What `status` finds at each look; those that nobody asked for are left."""
    left = iter(found)
    monkeypatch.setattr(module, "status", lambda _layout: next(left))
    return left


def test_a_node_that_was_late_is_ready_at_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, LATE, WELL)
    assert steady_status(LAYOUT) == WELL


@pytest.mark.parametrize("found", [WELL, DEAD, Status(running=False, problems=("it does not run",), lines=())])
def test_all_else_is_told_at_the_first_look(found: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    left = looks(monkeypatch, found, LATE)
    assert steady_status(LAYOUT) == found
    assert list(left) == [LATE]


def test_what_does_not_pass_is_a_problem_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PASSES_S", 0.0)
    looks(monkeypatch, LATE, LATE)
    assert steady_status(LAYOUT) == LATE


@pytest.mark.parametrize(
    ("ticks", "complete", "served", "may_pass"),
    [(0, True, True, True), (0, True, False, False), (1, True, True, False), (0, False, True, False)],
    ids=["all run", "all is well", "one is dead", "up did not finish"],
)
def test_only_what_is_wrong_while_all_processes_run_may_pass(
    ticks: int, complete: bool, served: bool, may_pass: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = started_ticks(os.getpid())
    assert began is not None
    state = ClusterState(
        name=LAYOUT.name,
        boot_id="",
        kubernetes_version="v1",
        image="fio",
        pause_image="pause",
        snapshotter="native",
        gateway="10.200.0.1",
        subnet="10.200.0.0/20",
        node_addresses=(),
        ports={"kube-apiserver": 1},
        processes=tuple(
            ProcessRecord(component=name, pid=os.getpid(), started_ticks=began + more)
            for name, more in (("kube-apiserver", 0), ("etcd", ticks))
        ),
        complete=complete,
    )
    monkeypatch.setattr(module, "read_state", lambda _layout: state)
    monkeypatch.setattr(module, "_serving_problems", lambda *_: ["/replicated does not answer"] * served)
    monkeypatch.setattr(module, "_of_nodes", lambda *_: ([], []))
    found = status(LAYOUT)
    assert found.running and found.may_pass is may_pass
    assert bool(found.problems) is (served or not complete or bool(ticks))
