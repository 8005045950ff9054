"""Which nodes a pod may be sent to, and which a volume's node affinity allows."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.nodes import matches, takes_pods


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
    assert takes_pods(found) is takes


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


def test_every_part_of_a_term_must_hold() -> None:
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    other = {"key": "metadata.name", "operator": "In", "values": ["n2"]}
    assert matches(node(), {"matchExpressions": [zone]})
    assert not matches(node(), {"matchExpressions": [zone], "matchFields": [other]})
