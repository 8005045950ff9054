"""A class that allows volumes on some nodes alone: what is right, what is wrong, and what tells nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import NODES, PODS, STORAGE_CLASSES, Object
from acceptance.settings.pod_template import PodTemplate
from acceptance.text.errors import AcceptanceError, StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench, NotTried
from acceptance.trials.features.topology import ELSEWHERE, allows, try_topology
from selftests.unit.simulated_api import SimulatedApi

ZONE = "topology.kubernetes.io/zone"
CLAIM = Claim(name="claim", namespace="run", storage_class="fast", size=1, run_id="r")
PLAN = PodPlan(name="pod", claims=(CLAIM,), image="fio:1", command=["true"], deadline_s=1)
RUNS = {"phase": "Running", "containerStatuses": [{"name": "load", "state": {"running": {}}}]}


def kept(why: str) -> Object:
    return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": why}]}


def node(name: str, zone: str) -> Object:
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    return {"metadata": {"name": name, "labels": {ZONE: zone}}, "spec": {}, "status": ready}


def term(*zones: str) -> Object:
    return {"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]}


class Api(SimulatedApi):
    """No object has events."""

    def list(self, resource: Any, *, fields: str = "", **more: Any) -> list[Object]:  # type: ignore[override]
        return [] if fields else super().list(resource, **more)


@dataclass
class PlayedBench:
    """A bench without a cluster: the first pod runs on `runs_on`, the second becomes as `second` says."""

    terms: list[Object]
    second: Object = field(default_factory=dict)
    runs_on: str = "n1"
    node: str | None = None
    timeout_s: float = 0.3

    def __post_init__(self) -> None:
        self.api = Api({})
        self.api.create(STORAGE_CLASSES, {"metadata": {"name": "fast"}, "allowedTopologies": self.terms})
        for each in (node("n1", "a"), node("n2", "b"), node("n3", "b")):
            self.api.create(NODES, each)
        self.storage_class = SimpleNamespace(name="fast")
        self.workspace = SimpleNamespace(pods=SimpleNamespace(template=PodTemplate()))
        self.missing, self.not_tried = Unsupported, NotTried
        self.asked: list[PodPlan] = []

    def claim(self, part: str) -> Claim:
        return replace(CLAIM, name=part)

    def run(self, claim: Claim, script: str, *, MARK: str) -> str:
        self.node = self.node or self.runs_on
        return MARK

    def plan(self, claim: Claim, *, script: str, node: str, **_: str) -> PodPlan:
        return replace(PLAN, claims=(claim,), node=node)

    def ask_for(self, plan: PodPlan) -> None:
        self.asked.append(plan)
        self.api.create(PODS, {"metadata": {"name": "pod"}, "spec": {}, "status": self.second})


def tried(bench: PlayedBench) -> str:
    return try_topology(cast(Bench, bench))


@pytest.mark.parametrize("words", ELSEWHERE)
def test_a_pod_that_waits_elsewhere_is_right(words: str) -> None:
    bench = PlayedBench([term("a")], second=kept(f"0/3 nodes are available: 1 node(s) {words}."))
    said = tried(bench)
    assert "StorageClass fast allow n1: a pod went to n1, and one on n2 waited (0/3 nodes" in said and words in said
    assert [each.node for each in bench.asked] == ["n2"]


def test_a_pod_that_starts_elsewhere_fails() -> None:
    with pytest.raises(StorageFailure, match="allow n1, and a pod started with a volume on n2: the driver ignores"):
        tried(PlayedBench([term("a")], second=RUNS))


def test_a_pod_that_waits_for_something_else_shows_nothing() -> None:
    with pytest.raises(StorageFailure, match=r"to be kept by the scheduler, since allowedTopologies .* allow n1"):
        tried(PlayedBench([term("a")], second=kept("0/3 nodes are available: 3 Insufficient cpu.")))


def test_a_pod_that_is_sent_elsewhere_fails() -> None:
    bench = PlayedBench([term("a")], runs_on="n3")
    with pytest.raises(StorageFailure, match="allow n1, and a pod ran with a volume on n3"):
        tried(bench)
    assert bench.asked == []


@pytest.mark.parametrize(
    ("bench", "error", "said"),
    [
        (PlayedBench([]), Unsupported, "names no allowedTopologies"),
        (PlayedBench([term("a", "b")]), NotTried, "allow every node"),
        (PlayedBench([term("a"), term("b")]), NotTried, "allow every node"),
        (PlayedBench([term("c")]), NotTried, "allow no node"),
        (PlayedBench([term("a")], node="n2"), NotTried, "do not allow --storage-node n2"),
    ],
)
def test_what_cannot_be_told_is_named(bench: PlayedBench, error: type[AcceptanceError], said: str) -> None:
    with pytest.raises(error, match=said) as found:
        tried(bench)
    assert type(found.value) is error and bench.asked == []


def test_all_labels_of_a_term_are_wanted() -> None:
    both: dict[str, Any] = {
        "matchLabelExpressions": [*term("a")["matchLabelExpressions"], {"key": "rack", "values": ["1"]}]
    }
    assert not allows(both, node("n1", "a"))
    one = node("n1", "a")
    one["metadata"]["labels"]["rack"] = "1"
    assert allows(both, one)
    assert allows(term("b", "a"), one) and not allows(term("b"), one)
