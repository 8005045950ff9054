"""A class that allows volumes on some nodes alone: what is right, what is wrong, and what tells nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import NODES, PODS, STORAGE_CLASSES, Object
from acceptance.judging.topologies import allows
from acceptance.settings.pod_template import PodTemplate
from acceptance.text.errors import AcceptanceError, NotTried, StorageFailure, Unsupported
from acceptance.trials.features import topology
from acceptance.trials.features.topology import ELSEWHERE
from selftests.unit.test_volumes_and_pods import PLAN, RUNS, PlayedBench, kept, tried

ZONE = "topology.kubernetes.io/zone"


def node_in(name: str, zone: str) -> Object:
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    return {"metadata": {"name": name, "labels": {ZONE: zone}}, "spec": {}, "status": ready}


def term(*zones: str) -> Object:
    return {"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]}


class ThreeNodes(PlayedBench):
    """The first pod runs on `runs_on`, the second becomes as `second` says; `node`: where all pods are to run."""

    def __init__(
        self, *terms: Object, second: Object | None = None, runs_on: str = "n1", node: str | None = None
    ) -> None:
        super().__init__(node=node)
        self.api.create(STORAGE_CLASSES, {"metadata": {"name": "fast"}, "allowedTopologies": list(terms)})
        for each in (node_in("n1", "a"), node_in("n2", "b"), node_in("n3", "b")):
            self.api.create(NODES, each)
        self.workspace.pods.template = PodTemplate()
        self.second, self.runs_on = second or {}, runs_on
        self.asked: list[PodPlan] = []

    def run(self, claim: Claim, script: str, *, MARK: str) -> str:
        self.node = self.node or self.runs_on
        return MARK

    def plan(self, *claims: Claim, script: str, node: str | None = None, **_: str) -> PodPlan:
        return replace(PLAN, claims=claims, node=node)

    def ask_for(self, plan: PodPlan) -> None:
        self.asked.append(plan)
        self.api.create(PODS, {"metadata": {"name": "pod"}, "spec": {}, "status": self.second})


def seen(bench: ThreeNodes) -> str:
    return topology.try_topology(tried(bench))


@pytest.mark.parametrize("words", ELSEWHERE)
def test_a_pod_that_waits_elsewhere_is_right(words: str) -> None:
    bench = ThreeNodes(term("a"), second=kept(f"0/3 nodes are available: 1 node(s) {words}."))
    said = seen(bench)
    assert (
        "StorageClass fast allow n1: a pod with a volume ran on n1, and a pod that had to run on n2 waited (0/3" in said
        and words in said
    )
    assert [each.node for each in bench.asked] == ["n2"]


def test_a_pod_that_starts_elsewhere_fails() -> None:
    with pytest.raises(StorageFailure, match="allow n1, but a pod with a volume started on n2: the driver ignores"):
        seen(ThreeNodes(term("a"), second=RUNS))


def test_a_pod_that_waits_for_something_else_shows_nothing() -> None:
    with pytest.raises(StorageFailure, match=r"kept pending by the scheduler, because allowedTopologies .* allow n1"):
        seen(ThreeNodes(term("a"), second=kept("0/3 nodes are available: 3 Insufficient cpu.")))


def test_a_pod_that_is_sent_elsewhere_fails() -> None:
    bench = ThreeNodes(term("a"), runs_on="n3")
    with pytest.raises(StorageFailure, match="allow n1, but a pod with a volume ran on n3"):
        seen(bench)
    assert bench.asked == []


@pytest.mark.parametrize(
    ("bench", "error", "said"),
    [
        (ThreeNodes(), Unsupported, "names no allowedTopologies"),
        (ThreeNodes(term("a", "b")), NotTried, "allow every node"),
        (ThreeNodes(term("a"), term("b")), NotTried, "allow every node"),
        (ThreeNodes(term("c")), NotTried, "allow no node"),
        (ThreeNodes(term("a"), node="n2"), NotTried, "do not allow --storage-node n2"),
    ],
)
def test_what_cannot_be_told_is_named(bench: ThreeNodes, error: type[AcceptanceError], said: str) -> None:
    with pytest.raises(error, match=said) as found:
        seen(bench)
    assert type(found.value) is error and bench.asked == []


def test_all_labels_of_a_term_are_wanted() -> None:
    rack = {"key": "rack", "values": ["1"]}
    both = {"matchLabelExpressions": [*term("a")["matchLabelExpressions"], rack]}
    assert not allows(both, node_in("n1", "a"))
    one = node_in("n1", "a")
    one["metadata"]["labels"]["rack"] = "1"
    assert allows(both, one)
    assert allows(term("b", "a"), one) and not allows(term("b"), one)
