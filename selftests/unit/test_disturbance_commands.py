"""The commands that disturb storage: what a target file may say, who may run them, and that all of them are undone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.results.disturbances import DISTURBANCES
from acceptance.settings.target_file import read_target
from acceptance.settings.target_plans import DisturbancePlan, NodeFailurePlan
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.trials.crashes.outage import JointOutage, disturbance_if_allowed, no_disturbance
from acceptance.trials.crashes.trials import lacks_plan

INTERRUPTED = DISTURBANCES["storage-interrupted"]


def plan(*words: str, durations_s: tuple[float, ...] = (5.0,)) -> DisturbancePlan:
    return DisturbancePlan(run=words or ("true",), restore=("true",), durations_s=durations_s, timeout_s=30.0)


def test_the_target_file_says_how_and_for_how_long(tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text("disturb: {interrupt: {run: [cut, '{node}'], restore: [mend], durations: [3min, 10s]}}\n")
    disturb = read_target(path).disturb
    assert disturb is not None
    interrupt = disturb.plans["storage-interrupted"]
    assert (interrupt.run, interrupt.restore, interrupt.durations_s) == (("cut", "{node}"), ("mend",), [10.0, 180.0])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            "disturb: {}",
            "found none; available: interrupt, restart, restart_together, shutdown, cut",
        ),
        ("disturb: {interrupt: {run: [a]}}", "restore"),
        ("disturb: {interrupt: {run: [a, '{volume}'], restore: [b]}}", "found volume"),
        ("disturb: {interrupt: {run: [a], restore: [b], durations: []}}", "durations"),
        ("disturb: {interrupt: {run: [a], restore: [b], durations: [0s]}}", "above zero"),
    ],
)
def test_what_is_wrong_in_the_target_file_is_named(content: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text(f"{content}\n")
    with pytest.raises(WrongUsage, match=error):
        read_target(path)


def test_nodes_that_are_restarted_are_named_in_the_target_file(tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text("disturb: {restart: {run: [off, '{node}'], restore: [on, '{node}'], nodes: [n1, n2]}}\n")
    disturb = read_target(path).disturb
    assert disturb is not None
    restart = disturb.plans["nodes-restarted"]
    assert (restart.nodes, restart.durations_s) == (("n1", "n2"), [10.0])
    kinds: dict[str, Any] = {"node": None, "own_node": None}
    asked = DISTURBANCES["nodes-restarted"]
    assert disturbance_if_allowed(restart, asked, kind="kubeconfig", **kinds) == restart
    assert "own pod may run on a node" in str(disturbance_if_allowed(restart, asked, kind="in-cluster", **kinds))
    elsewhere = {"node": None, "own_node": "n3", "kind": "in-cluster"}
    assert disturbance_if_allowed(restart, asked, **elsewhere) == restart


def test_storage_is_disturbed_by_commands_alone_and_a_node_only_if_it_was_named() -> None:
    nobody: dict[str, Any] = {"node": None, "own_node": None, "kind": "kubeconfig"}
    assert disturbance_if_allowed(None, INTERRUPTED, **nobody) == no_disturbance(INTERRUPTED)
    assert disturbance_if_allowed(plan("cut"), INTERRUPTED, **nobody) == plan("cut")
    of_node = plan("cut", "{node}")
    assert "you must name the node" in str(disturbance_if_allowed(of_node, INTERRUPTED, **nobody))
    assert disturbance_if_allowed(of_node, INTERRUPTED, **nobody | {"node": "n1"}) == of_node
    own = {"node": "n1", "own_node": "n1", "kind": "in-cluster"}
    assert "own pod runs on node n1" in str(disturbance_if_allowed(of_node, INTERRUPTED, **own))


def test_without_such_commands_it_is_skipped_whatever_fails_nodes() -> None:
    fails = NodeFailurePlan(fail=("true",), restore=("true",), timeout_s=1.0)
    assert lacks_plan("storage-interrupted", fails) == no_disturbance(INTERRUPTED)
    assert lacks_plan("storage-interrupted", "none", disturbances={"storage-interrupted": "no node"}) == "no node"
    assert lacks_plan("storage-interrupted", "none", disturbances={"storage-interrupted": plan()}) is None


class Ready:
    """Stands for `Api`: nodes that are Ready, each with a new heartbeat at each look; notes what is to be undone."""

    def __init__(self) -> None:
        self.looks, self.notes = 0, list[str | None]()

    def patch(self, resource: object, name: str, change: dict[str, Any], **_: Any) -> None:
        self.notes += change["metadata"]["annotations"].values()

    def get(self, resource: object, name: str, **_: Any) -> dict[str, Any]:
        self.looks += 1
        status = {"conditions": [{"type": "Ready", "status": "True"}]}
        return {"metadata": {}, "spec": {"renewTime": f"t{self.looks}"}, "status": status}


def test_nodes_that_fail_together_are_all_restored_although_one_cannot_be(tmp_path: Path) -> None:
    log, nodes = tmp_path / "log", ("n1", "n2", "n3")
    code = (
        f"import sys; open({str(log)!r}, 'a').write(' '.join(sys.argv[1:]) + ';'); sys.exit(sys.argv[1] == 'on' and %s)"
    )

    def joint(refused: str) -> tuple[JointOutage, Ready]:
        tell, api = (sys.executable, "-c", code % f"sys.argv[2] == {refused!r}"), Ready()
        both = DisturbancePlan(
            run=[*tell, "off", "{node}"],
            restore=[*tell, "on", "{node}"],
            durations_s=[1.0],
            timeout_s=30.0,
            nodes=nodes,
        )
        return JointOutage(cast(Any, api), both, namespace="ns"), api

    outage, api = joint("none")
    with outage:
        assert log.read_text() == "off n1;off n2;off n3;"
        assert api.notes[0] is not None and api.notes[0].count(" && ") == 2
    assert log.read_text().endswith("on n1;on n2;on n3;") and api.notes[-1] is None
    log.unlink()
    outage, api = joint("n2")
    with pytest.raises(EnvironmentFailure, match="may still be down"), outage:
        pass
    assert log.read_text().endswith("on n1;on n2;on n3;") and None not in api.notes
