"""More and more volumes on one node: what is counted, where it ends, and what fails of the pods that had some."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.judging.figures import judge_figure
from acceptance.limits.simultaneous import NODE_VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials import node_volumes as module
from acceptance.trials.features.bench import Bench
from acceptance.trials.node_volumes import STEPS, USED, Climb, climb, figures_of, step_sizes

RUNS = {"status": {"containerStatuses": [{"name": "load", "state": {"running": {}}}]}}
ENDED: dict[str, Any] = {"status": {}}


class PlayedBench:
    """A node that uses `takes` volumes; the first pod stops when the node has `stops_at`."""

    api = None
    timeout_s = 0.2
    node = "node-1"
    storage_class = SimpleNamespace(name="fast")

    def __init__(self, most: int, *, takes: int = 999, stops_at: int = 999) -> None:
        self.node_volumes, self.takes, self.stops_at = most, takes, stops_at
        self.used, self.polls, self.pods = 0, 0, list[PodPlan]()

    def claim(self, part: str) -> Claim:
        return Claim(name=part, namespace="run", storage_class="fast", size=1, run_id="r")

    def plan(self, *claims: Claim, script: str, node: str, MARK: str) -> PodPlan:
        return PodPlan(
            name=f"pod-{len(self.pods)}", claims=claims, image="i", command=[script], deadline_s=1, node=node
        )

    def ask_for(self, plan: PodPlan) -> None:
        self.pods.append(plan)
        self.used += len(plan.claims)

    def output_of(self, plan: PodPlan) -> str:
        if self.pod(None, plan) is ENDED:
            return "used\n"
        self.polls += 1
        return "used\n" * self.polls

    def started(self, _: object, plan: PodPlan, *, timeout_s: float) -> None:
        if self.used > self.takes:
            raise StorageFailure("rpc error: code = ResourceExhausted")

    def pod(self, _: object, plan: PodPlan) -> dict[str, Any]:
        return ENDED if plan is self.pods[0] and self.used >= self.stops_at else RUNS


@pytest.fixture
def climbed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(bench: PlayedBench) -> Climb:
        monkeypatch.setattr(module, "wait_started", bench.started)
        monkeypatch.setattr(module, "require_pod", bench.pod)
        return climb(cast(Bench, bench))

    return run


def judged(outcome: Climb, at_least: int) -> str:
    limit = NODE_VOLUMES.limit(USED, at_least, because="the test wants it so")
    return judge_figure(figures_of(outcome, storage_class="fast"), limit).status


@given(most=st.integers(1, 999))
def test_all_permitted_volumes_are_used_in_few_steps(most: int) -> None:
    sizes = list(step_sizes(most))
    assert sum(sizes) == most and min(sizes) > 0 and len(sizes) <= STEPS


def test_a_node_that_uses_all_has_an_exact_figure(climbed: Any) -> None:
    bench = PlayedBench(50)
    outcome = climbed(bench)
    assert outcome == Climb(node="node-1", used=50)
    assert {pod.node for pod in bench.pods} == {"node-1"}
    assert (judged(outcome, 50), judged(outcome, 51)) == ("pass", "fail")


def test_a_node_that_refuses_a_step_has_an_interval_up_to_it(climbed: Any) -> None:
    outcome = climbed(PlayedBench(50, takes=12))
    assert (outcome.used, outcome.refused) == (10, 15)
    assert [judged(outcome, number) for number in (10, 11, 14, 15)] == ["pass", "inconclusive", "inconclusive", "fail"]
    figures = figures_of(outcome, storage_class="fast")
    assert "ResourceExhausted" in figures.done and figures.rows[0]["Not used"] == 15


def test_a_node_that_uses_none_fails(climbed: Any) -> None:
    with pytest.raises(StorageFailure, match="ResourceExhausted"):
        climbed(PlayedBench(50, takes=0))


@pytest.mark.parametrize("takes", [20, 999])
def test_a_pod_that_stops_while_its_node_is_filled_fails(climbed: Any, takes: int) -> None:
    with pytest.raises(StorageFailure, match="a pod with 5 volumes of StorageClass fast stopped"):
        climbed(PlayedBench(50, takes=takes, stops_at=25))
