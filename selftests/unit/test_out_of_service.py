"""The taint of a node that is out of service: only on one that is lost, by the run's own name, and it always goes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.out_of_service import KEY, out_of_service, take_off
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.run_namespace import read_undo
from acceptance.cluster.workspace import Workspace
from acceptance.settings.target_plans import NodeFailurePlan
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.trial import CrashSettings, Trial
from acceptance.trials.crashes.trials import lacks_plan
from acceptance.trials.crashes.writer import Writer
from selftests.unit.paged_api_server import NAMESPACE, RUN_ID, Answer, Clock, PagedApiServer

LOST = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
OURS = {"key": KEY, "value": RUN_ID, "effect": "NoExecute"}
THEIRS = {"key": KEY, "value": "nodeshutdown", "effect": "NoExecute"}


class Tainting(PagedApiServer):
    """Takes changes of the version that there is alone. `conflicts`: how often the cluster is first, with a new one;
    `refused`: the status for all changes of nodes."""

    conflicts = 0
    refused = 0

    def _answer(self, method: str, path: str, query: Any, headers: Any, body: Any) -> Answer:
        if method == "PATCH" and "/nodes/" in path:
            there = self.objects["nodes"]["", "n1"]
            if self.refused:
                return Answer(self.refused, {"message": "not you"})
            if self.conflicts:
                self.conflicts -= 1
                there["metadata"]["resourceVersion"] += "0"
                there["spec"]["taints"] = [
                    *there["spec"].get("taints", []),
                    {"key": "a.new/one", "effect": "NoSchedule"},
                ]
            if body["metadata"].pop("resourceVersion") != there["metadata"]["resourceVersion"]:
                return Answer(409, {"message": "the object has been modified"})
        return super()._answer(method, path, query, headers, body)


def cluster(*, ready: str = "Unknown", taints: list[Any] | None = None) -> Tainting:
    server = Tainting()
    server.have_run()
    server.have("leases", {"metadata": {"name": "run", "annotations": {}}}, NAMESPACE)
    conditions = [{"type": "Ready", "status": ready}]
    server.have("nodes", {"metadata": {"name": "n1"}, "spec": {"taints": taints}, "status": {"conditions": conditions}})
    return server


def taints(server: Tainting) -> Any:
    return server.objects["nodes"]["", "n1"]["spec"].get("taints")


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, EnvironmentFailure])
def test_it_is_put_and_goes_however_the_block_ends(error: type[BaseException] | None) -> None:
    server = cluster(taints=[LOST])
    try:
        with out_of_service(server.api, "n1", run_id=RUN_ID):
            assert taints(server) == [LOST, OURS]
            assert read_undo(server.api, namespace=NAMESPACE) == (None, "n1")
            if error is not None:
                raise error
    except BaseException as raised:
        assert type(raised) is error
    assert taints(server) == [LOST]
    assert read_undo(server.api, namespace=NAMESPACE) == (None, None)


def test_the_cluster_knows_of_it_before_it_is_there() -> None:
    server = cluster()
    with out_of_service(server.api, "n1", run_id=RUN_ID):
        changes = [kind for kind, _ in server.asked if kind.startswith("PATCH")]
    assert changes == ["PATCH leases", "PATCH nodes"]
    assert taints(server) is None


def test_what_the_cluster_changes_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    server = cluster(taints=[LOST])
    server.conflicts = 2
    with out_of_service(server.api, "n1", run_id=RUN_ID):
        assert [taint["key"] for taint in taints(server)] == [LOST["key"], "a.new/one", "a.new/one", KEY]
        server.conflicts = 1
    assert [taint["key"] for taint in taints(server)] == [LOST["key"], *["a.new/one"] * 3]


@pytest.mark.parametrize(
    ("server", "why"),
    [
        (cluster(ready="True"), "node n1 is Ready, so it is not out of service"),
        (cluster(taints=[THEIRS]), "already has the taint .*, which this run did not add"),
    ],
    ids=["ready", "tainted by others"],
)
def test_a_node_that_is_ready_or_tainted_by_others_is_left_as_it_is(server: Tainting, why: str) -> None:
    before = taints(server)
    with pytest.raises(EnvironmentFailure, match=why), out_of_service(server.api, "n1", run_id=RUN_ID):
        raise AssertionError("it is not out of service")
    assert taints(server) == before
    assert read_undo(server.api, namespace=NAMESPACE) == (None, None)


def test_only_the_run_s_own_is_taken_off() -> None:
    for there, left in (([LOST, OURS], [LOST]), ([THEIRS], [THEIRS]), (None, None)):
        server = cluster(taints=there)
        assert take_off(server.api, "n1", run_id=RUN_ID) == (there != left)
        assert taints(server) == left
    del server.objects["nodes"]["", "n1"]
    assert not take_off(server.api, "n1", run_id=RUN_ID)


def test_what_cannot_be_taken_off_is_told_with_the_command() -> None:
    server = cluster(taints=[OURS])
    server.refused = 403
    with pytest.raises(EnvironmentFailure, match=f"run `kubectl taint nodes n1 {KEY}:NoExecute-`"):
        take_off(server.api, "n1", run_id=RUN_ID)


def test_a_node_is_tainted_only_where_the_target_file_allows_it() -> None:
    plan = NodeFailurePlan(fail=["a"], restore=["b"], timeout_s=1.0)
    allowed = NodeFailurePlan(fail=["a"], restore=["b"], timeout_s=1.0, out_of_service=True)
    assert "node_failure: out_of_service: true" in str(lacks_plan("failover-out-of-service", plan))
    assert lacks_plan("failover-out-of-service", allowed) is None and lacks_plan("failover", plan) is None
    assert lacks_plan("failover-out-of-service", "none") == lacks_plan("node-failed", "none") == "none"


def test_a_cluster_that_leaves_the_pod_there_is_no_failure_of_the_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not know the taint, or whose controllers stand still; the taint goes all the same."""
    Clock(monkeypatch)
    server = cluster(taints=[LOST])
    server.have("pods", {"metadata": {"name": "writer"}, "spec": {}, "status": {"phase": "Running"}}, NAMESPACE)
    claim = Claim(name="c", namespace=NAMESPACE, storage_class="fast", size=1, run_id=RUN_ID)
    trial = Trial(
        workspace=Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="fio:1", timeout_s=60),
        claim=claim,
        failure="failover-out-of-service",
        settings=CrashSettings(write_s=1.0, failover_s=60.0),
        node_failure=None,
        say=lambda *_: None,
    )
    plan = PodPlan(name="writer", claims=(claim,), image="fio:1", command=["sh"], deadline_s=60)
    writer = cast(Writer, SimpleNamespace(node="n1", plan=plan))
    with pytest.raises(EnvironmentFailure, match="pod writer to be deleted"), trial._taken_off(writer):
        raise AssertionError("it is still there")
    assert ("PATCH nodes" in [kind for kind, _ in server.asked]) and taints(server) == [LOST]
