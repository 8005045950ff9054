"""Kubelets that are away for a while: who may stop one, what a pod's pauses are, and what stays of a volume."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.attachments import NodeAttachment
from acceptance.judging.crashes import judge_durability, judge_release
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.failures import plan_crash
from acceptance.report.summary import render_summary
from acceptance.settings.target_file import read_target
from acceptance.settings.target_plans import KubeletPlan, NodeFailurePlan
from acceptance.text.errors import EnvironmentFailure, Unsupported, WrongUsage
from acceptance.trials.crashes.draining import wait_let_go
from acceptance.trials.crashes.kubelets import AWAY_S, mounts_left, while_away, wrote_on
from acceptance.trials.crashes.outage import NO_KUBELET, kubelet_if_allowed
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.trials import lacks_plan
from selftests.unit.crash_records import durability, failover
from selftests.unit.paged_api_server import Clock, PagedApiServer
from selftests.unit.test_report_crashes import results

FAILS = NodeFailurePlan(fail=("true",), restore=("true",), timeout_s=1.0)


def plan(*mounted: str) -> KubeletPlan:
    return KubeletPlan(stop=("stop", "{node}"), start=("start", "{node}"), mounts=mounted, timeout_s=30.0)


def test_a_kubelet_is_stopped_by_commands_alone_on_a_node_that_was_named_or_is_the_labs() -> None:
    asked = {"node": "n1", "own_node": None}
    assert kubelet_if_allowed(None, kind="kubeconfig", **asked) == NO_KUBELET
    assert kubelet_if_allowed(plan(), kind="kubeconfig", **asked) == plan()
    assert kubelet_if_allowed(plan(), kind="embedded", node=None, own_node=None) == plan()
    assert "you must name the node" in str(kubelet_if_allowed(plan(), kind="kubeconfig", node=None, own_node=None))
    assert "own pod runs on node n1" in str(kubelet_if_allowed(plan(), kind="in-cluster", node="n1", own_node="n1"))


@pytest.mark.parametrize("failure", ["kubelet-restarted", "kubelet-away"])
def test_without_such_commands_it_is_skipped_whatever_fails_nodes(failure: Any) -> None:
    assert lacks_plan(failure, FAILS) == NO_KUBELET
    assert lacks_plan(failure, "none", kubelet=plan()) is None


def test_the_target_file_says_how(tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text("kubelet: {stop: [ssh, '{node}', stop], start: [ssh, '{node}', start], timeout: 1min}\n")
    found = read_target(path).kubelet
    assert found is not None and found.plan.outage.fail == ("ssh", "{node}", "stop")
    assert (found.plan.mounts, found.plan.timeout_s) == ((), 60.0)
    path.write_text("kubelet: {stop: [ssh, '{volume}'], start: [ssh]}\n")
    with pytest.raises(WrongUsage, match="found volume"):
        read_target(path)


def test_mounts_are_what_the_command_prints_and_its_failure_is_no_storages() -> None:
    words = (sys.executable, "-c", "import sys; print('/a', sys.argv[1:]); print()", "{node}", "{volume}")
    assert mounts_left(plan(*words), volume="pv", node="n1")() == ["mounted at /a ['n1', 'pv']"]
    assert mounts_left(plan(), volume="pv", node="n1")() == []
    with pytest.raises(EnvironmentFailure, match="shows mounts on node n1"):
        mounts_left(plan("false"), volume="pv", node="n1")()


def test_a_mount_that_stays_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, server = Clock(monkeypatch), PagedApiServer()
    attached = NodeAttachment(attachments=(), status_name=None, node="n1")
    began_s = clock.now_s
    assert wait_let_go(server.api, attached, timeout_s=20, also=lambda: ["mounted at /a"]) == ["mounted at /a"]
    assert clock.now_s - began_s == pytest.approx(20, abs=1.5)
    ends_s = clock.now_s + 5
    gone = wait_let_go(
        server.api, attached, timeout_s=20, also=lambda: [] if clock.now_s >= ends_s else ["mounted at /a"]
    )
    assert gone == []


def test_it_is_away_for_as_long_as_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    began_s = clock.now_s
    while_away()
    assert clock.now_s - began_s == pytest.approx(AWAY_S, abs=1.1)


def test_pauses_are_told_by_the_nodes_own_clock() -> None:
    writer = cast(Any, SimpleNamespace(moments=[(1.0, 1), (5.0, 2), (5.4, 3)]))
    assert wrote_on(writer, since=2) == "the pod continued to write, with at most 0.4 s between two records"
    assert "is unknown" in wrote_on(cast(Any, SimpleNamespace(moments=[])), since=2)


@pytest.mark.parametrize(("stayed", "status"), [([], "pass"), (["mounted at /a"], "fail")])
def test_what_stays_is_told(stayed: list[str], status: str) -> None:
    verdict = judge_release(failover(9.0, failure="kubelet-away", stayed=stayed))
    assert (verdict.status, verdict.id) == (status, "fast/kubelet-away/stayed/holds")
    assert "after the pod was deleted while its kubelet was down" in verdict.reason
    assert ("but it remained on node-1: mounted at /a;" in verdict.reason) == bool(stayed)
    with pytest.raises(Unsupported, match="no command shows its mounts"):
        judge_release(failover(9.0, failure="kubelet-away"))


def test_records_that_are_lost_with_a_kubelet_fail_and_the_report_has_a_table() -> None:
    lost = durability(failure="kubelet-restarted", lost=[(3, 9)])
    assert judge_durability(lost).status == "fail"
    assert "the kubelet of its node was restarted" in judge_durability(lost).reason
    html = render_summary(results(durability=[lost], failovers=[failover(9.0, failure="kubelet-away", stayed=["<b>"])]))
    assert "Deletion while the kubelet was down of fast" in html and "&lt;b&gt;" in html


def test_the_plan_counts_the_time_that_it_is_away() -> None:
    settings = CrashSettings(write_s=5, failover_s=900)
    plain, restarted = (
        plan_crash("fast", each, settings, speeds=EMBEDDED_CLUSTER) for each in ("pod-killed", "kubelet-restarted")
    )
    assert restarted.about_s == plain.about_s + AWAY_S + 10
    assert "kubelet" in restarted.description
