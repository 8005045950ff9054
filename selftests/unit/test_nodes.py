"""Which nodes a pod may be sent to, and which a volume's node affinity allows."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.nodes import matches, slim_node, takes_pods
from acceptance.cluster.preflight import require_version
from acceptance.settings.pod_template import PodTemplate
from acceptance.text.errors import EnvironmentFailure


def node(*, ready: str = "True", **spec: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": "n1", "topology.topolvm.io/node": "n1", "zone": "a"}
    conditions = [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}]
    return {"metadata": {"name": "n1", "labels": labels}, "spec": spec, "status": {"conditions": conditions}}


@pytest.mark.parametrize(
    ("found", "takes"),
    [
        (node(), True),
        (node(taints=[{"key": "k", "effect": "PreferNoSchedule"}]), True),
        (node(taints=[{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]), False),
        (node(taints=[{"key": "k", "effect": "NoExecute"}]), False),
        (node(unschedulable=True), False),
        (node(ready="Unknown"), False),
    ],
)
def test_only_ready_nodes_without_taints_take_pods(found: dict[str, Any], takes: bool) -> None:
    assert takes_pods(found, PodTemplate()) is takes
    assert takes_pods(slim_node(found), PodTemplate()) is takes


@pytest.mark.parametrize(
    ("spec", "takes"),
    [
        ({"tolerations": [{"key": "dedicated", "value": "storage", "effect": "NoSchedule"}]}, True),
        ({"tolerations": [{"key": "dedicated", "operator": "Exists"}]}, True),
        ({"tolerations": [{"operator": "Exists"}]}, True),
        ({"tolerations": [{"key": "dedicated", "value": "other"}]}, False),
        ({"tolerations": [{"key": "dedicated", "value": "storage", "effect": "NoExecute"}]}, False),
        ({"tolerations": [{"operator": "Exists"}], "nodeSelector": {"zone": "a"}}, True),
        ({"tolerations": [{"operator": "Exists"}], "nodeSelector": {"zone": "b"}}, False),
        ({}, False),
    ],
)
def test_a_node_that_is_kept_for_some_takes_pods_that_are_meant_for_it(spec: dict[str, Any], takes: bool) -> None:
    found = node(taints=[{"key": "dedicated", "value": "storage", "effect": "NoSchedule"}])
    assert takes_pods(found, PodTemplate.model_validate({"spec": spec})) is takes


@pytest.mark.parametrize(
    ("key", "operator", "values", "holds"),
    [
        ("kubernetes.io/hostname", "In", ["n1", "n2"], True),
        ("topology.topolvm.io/node", "In", ["n2"], False),
        ("zone", "NotIn", ["a"], False),
        ("zone", "NotIn", ["b"], True),
        ("zone", "Exists", [], True),
        ("other", "Exists", [], False),
        ("other", "DoesNotExist", [], True),
        ("zone", "Gt", ["1"], False),
    ],
)
def test_a_volumes_affinity_is_read_from_any_label(key: str, operator: str, values: list[str], holds: bool) -> None:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}
    assert matches(node(), term) is holds
    assert matches(slim_node(node()), term) is holds


def test_every_part_of_a_term_must_hold() -> None:
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    other = {"key": "metadata.name", "operator": "In", "values": ["n2"]}
    assert matches(node(), {"matchExpressions": [zone]})
    assert not matches(node(), {"matchExpressions": [zone], "matchFields": [other]})


@pytest.mark.parametrize(("system", "takes"), [("linux", True), (None, True), ("windows", False)])
def test_a_node_of_another_system_takes_none_of_the_suites_pods(system: str | None, takes: bool) -> None:
    found = {
        "metadata": {"name": "n", "labels": {"kubernetes.io/os": system} if system else {}},
        "spec": {},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert takes_pods(found, PodTemplate()) is takes
    assert takes_pods(slim_node(found), PodTemplate()) is takes


def test_what_makes_a_node_large_is_not_kept() -> None:
    images = {"images": [{"names": ["registry.example.com/shop:1"]}] * 50}
    assert "images" not in slim_node({**node(), "status": images})["status"]


@pytest.mark.parametrize("version", ["v1.26.0", "v1.34.4", "1.30+", "v2.0.0", "v1.31.2-gke.100", "what?"])
def test_a_kubernetes_that_is_new_enough_is_taken(version: str) -> None:
    require_version(version)


@pytest.mark.parametrize("version", ["v1.25.16", "v1.9.0", "1.20+"])
def test_an_older_one_is_refused(version: str) -> None:
    with pytest.raises(EnvironmentFailure, match=r"older than 1\.26"):
        require_version(version)
