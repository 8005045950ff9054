"""CSIStorageCapacity objects: whose they are, which nodes reach what they tell of, and what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.resources import Object
from acceptance.cluster.storage_capacity import Segment, capacity_segments

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
NODES: list[Object] = [
    {"metadata": {"name": name, "labels": {HOST: name, ZONE: zone}}}
    for name, zone in (("node-1", "a"), ("node-2", "a"), ("node-3", "b"))
]


def capacity(topology: Object | None, free: str | None, *, of: str = "fast", **more: Any) -> Object:
    """As the API server shows one: what is not set is not there."""
    fields = {"nodeTopology": topology, "capacity": free, "storageClassName": of, "metadata": {"name": "x"}} | more
    return {key: value for key, value in fields.items() if value is not None}


def found(*capacities: Object, anywhere: bool = False) -> list[Segment]:
    return capacity_segments(capacities, storage_class="fast", nodes=NODES, anywhere=anywhere)


def on(**labels: str) -> Object:
    names = {"host": HOST, "zone": ZONE}
    return {"matchLabels": {names[key]: value for key, value in labels.items()}}


def test_network_storage_is_one_segment_that_all_nodes_reach() -> None:
    assert found(capacity({}, "100Gi")) == [Segment(name="all nodes", free=100 * 1024**3, nodes=3)]


def test_local_storage_is_a_segment_for_each_node_and_zones_have_several() -> None:
    local = [capacity(on(host=f"node-{number}"), "1Gi") for number in (1, 2, 3)]
    assert [(each.name, each.nodes) for each in found(*local)] == [(f"{HOST}=node-{n}", 1) for n in (1, 2, 3)]
    zones = found(capacity(on(zone="a"), "2Gi"), capacity(on(zone="b"), "1500M"))
    assert [(zone.nodes, zone.free) for zone in zones] == [(2, 2 * 1024**3), (1, 1_500_000_000)]


def test_expressions_select_as_labels_do() -> None:
    expressions = {"matchExpressions": [{"key": ZONE, "operator": "NotIn", "values": ["a"]}]}
    assert found(capacity(expressions, "1Gi")) == [Segment(name=f"{ZONE} NotIn (a)", free=1024**3, nodes=1)]
    both = {"matchExpressions": [{"key": ZONE, "operator": "Exists"}], **on(host="node-2")}
    assert [each.nodes for each in found(capacity(both, "1Gi"))] == [1]


def test_another_class_tells_nothing_of_this_one() -> None:
    assert found(capacity({}, "1Gi", of="slow")) == []


@pytest.mark.parametrize(
    "unknown", [capacity({}, None), capacity(None, "1Gi")], ids=["no capacity", "reached from nowhere"]
)
def test_what_is_not_set_is_not_known(unknown: Object) -> None:
    assert found(unknown) == []
    assert [each.free for each in found(unknown, capacity(on(zone="a"), "1Gi"))] == [1024**3]


def test_a_full_segment_gets_no_volume_and_is_left_out_unless_all_are_full() -> None:
    full = capacity(on(host="node-1"), "0")
    assert [each.name for each in found(full, capacity(on(host="node-2"), "1Gi"))] == [f"{HOST}=node-2"]
    assert [each.free for each in found(full)] == [0]


def test_what_no_usable_node_reaches_counts_where_volumes_may_be_anywhere() -> None:
    away = capacity(on(host="node-9"), "1Gi")
    assert found(away) == []
    assert found(away, anywhere=True) == [Segment(name=f"{HOST}=node-9", free=1024**3, nodes=0)]


def test_the_largest_volume_is_known_where_the_driver_says_it() -> None:
    limited, unlimited = found(capacity(on(zone="a"), "1Gi", maximumVolumeSize="512Mi"), capacity({}, "1Gi"))
    assert (limited.largest, unlimited.largest) == (512 * 1024**2, None)
