"""`discover`: what is wrong with StorageClasses, told by plain objects as an API server returns them."""

from __future__ import annotations

import builtins
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api, whole
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.looking import look_at_storage
from acceptance.cluster.resources import Object, Resource
from acceptance.cluster.storage_classes import DEFAULTS, storage_class_of
from acceptance.judging.discovery import Discovery, Surroundings, discover
from acceptance.results.requirement import Outcome
from acceptance.wording.discovery import problem

CSI = "ebs.csi.example.com"


def storage_class(name: str, provisioner: str, *, default: bool = False, **more: Any) -> Object:
    annotations = {DEFAULTS[0]: "true"} if default else {}
    return {"metadata": {"name": name, "annotations": annotations}, "provisioner": provisioner, **more}


def on_nodes(*drivers: str) -> list[Object]:
    return [{"metadata": {"name": "node-1"}, "spec": {"drivers": [{"name": driver} for driver in drivers]}}]


def pod(name: str, **container: Any) -> Object:
    return {"metadata": {"name": name}, "spec": {"containers": [container]}}


GOOD = storage_class("fast", CSI, default=True, allowVolumeExpansion=True, volumeBindingMode="WaitForFirstConsumer")
LOCAL = storage_class(
    "local", "rancher.io/local-path", allowVolumeExpansion=True, volumeBindingMode="WaitForFirstConsumer"
)
WHOLE = Surroundings(
    drivers=[{"metadata": {"name": CSI}, "spec": {"storageCapacity": True}}],
    csi_nodes=on_nodes(CSI),
    capacities=[{"storageClassName": "fast"}],
    snapshot_classes=[{"driver": CSI}],
    pods=[pod("local-path-provisioner-5b9", image="rancher/local-path-provisioner:v0.0.30")],
)

BOTH = [{"storageClassName": "fast"}, {"storageClassName": "b"}]


ZONE = "topology.ebs.csi.example.com/zone"
HOST = "topology.topolvm.io/node"


def zonal(*zones: str, key: str = ZONE) -> dict[str, list[Object]]:
    """A node in each zone, on each of which the driver runs."""
    names = [f"node-{zone}" for zone in zones]
    csi_nodes = [
        {"metadata": {"name": name}, "spec": {"drivers": [{"name": CSI, "topologyKeys": [HOST, key]}]}}
        for name in names
    ]
    labels = [{HOST: name, key: zone} for name, zone in zip(names, zones, strict=True)]
    nodes = [{"metadata": {"name": name, "labels": label}} for name, label in zip(names, labels, strict=True)]
    return {"csi_nodes": csi_nodes, "nodes": nodes}


def found(*classes: Object, **other: Any) -> Discovery:
    """With all that classes need, but for what is given."""
    beside = Surroundings(**{**vars(WHOLE), "classes": classes, **other})
    return discover([storage_class_of(each) for each in classes], beside)


def wrong(*classes: Object, **other: Any) -> list[Outcome]:
    told = found(*classes, **other)
    return [*told.wrong, *(each for one in told.classes for each in one.wrong)]


def test_of_good_classes_nothing_is_said() -> None:
    told = found(LOCAL, GOOD)
    assert wrong(LOCAL, GOOD) == []
    assert [each.name for each in told.classes] == ["fast", "local"]
    assert (told.candidate, told.baseline) == ("fast", "local")
    fast, local = told.classes
    assert (fast.default, fast.local, fast.snapshots, fast.capacity, fast.expansion) == (True, False, True, True, True)
    assert (local.default, local.local) == (False, True)


@pytest.mark.parametrize(
    ("classes", "other", "code", "sentence"),
    [
        ((), {}, "no_class", "The cluster has no StorageClass"),
        ((LOCAL,), {}, "no_default", "No class is the default"),
        (
            (GOOD, storage_class("b", CSI, default=True, allowVolumeExpansion=True)),
            {"capacities": BOTH},
            "many_defaults",
            "2 classes are the default",
        ),
        (
            (GOOD,),
            {"csi_nodes": on_nodes("other"), "pods": []},
            "no_driver",
            f"No node has a driver {CSI} (CSINode), and no",
        ),
        ((GOOD,), {"snapshot_classes": []}, "no_snapshot_class", "Its driver has no VolumeSnapshotClass"),
        (
            (GOOD,),
            {"capacities": []},
            "no_capacity",
            "Its driver promises CSIStorageCapacity, but none exists for this class",
        ),
        ((GOOD | {"allowVolumeExpansion": False},), {}, "no_expansion", "PVCs cannot be expanded"),
        (
            (LOCAL | {"volumeBindingMode": "Immediate"}, GOOD),
            {},
            "local_bound_at_once",
            "Local volumes are bound immediately",
        ),
        (
            (GOOD, storage_class("by-hand", "kubernetes.io/no-provisioner")),
            {},
            "no_provisioner",
            "The class has no provisioner",
        ),
    ],
    ids=lambda each: each[:24] if isinstance(each, str) else "",
)
def test_what_is_wrong_is_told_and_nothing_else(classes: Any, other: dict[str, Any], code: str, sentence: str) -> None:
    (told,) = wrong(*classes, **other)
    assert told.code == f"discovery.{code}"
    facts = {"many_defaults": {"classes": ["b", "fast"]}, "no_driver": {"provisioner": CSI}}
    assert told.facts == facts.get(code, {})
    assert problem(told).startswith(sentence)


def test_volumes_that_are_bound_immediately_in_several_zones_are_warned_of() -> None:
    at_once = GOOD | {"volumeBindingMode": "Immediate"}
    (told,) = wrong(at_once, **zonal("a", "b", "c"))
    assert told.code == "discovery.zones_bound_at_once"
    assert told.facts == {"label": ZONE, "zones": ["a", "b", "c"]}
    assert "Immediate" in problem(told) and "WaitForFirstConsumer" in problem(told)
    default = {key: value for key, value in GOOD.items() if key != "volumeBindingMode"}
    assert [each.code for each in wrong(default, **zonal("a", "b"))] == ["discovery.zones_bound_at_once"]


@pytest.mark.parametrize(
    ("change", "cluster"),
    [
        ({"volumeBindingMode": "WaitForFirstConsumer"}, zonal("a", "b")),
        ({}, zonal("a", "a")),
        ({}, zonal("a", "b", key="topology.example.com/host")),
        ({}, zonal("a", "b") | {"nodes": None}),
        ({}, zonal("a", "b") | {"csi_nodes": on_nodes(CSI)}),
        ({}, zonal("a", "b") | {"csi_nodes": None}),
        (
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": ["b", "z"]}]}]},
            zonal("a", "b"),
        ),
    ],
    ids=["at first use", "one zone", "single nodes", "nodes unread", "no zones", "csi nodes unread", "one is allowed"],
)
def test_a_class_whose_volumes_can_be_used_in_every_zone_is_not_warned_of(
    change: Object, cluster: dict[str, Any]
) -> None:
    assert wrong(GOOD | {"volumeBindingMode": "Immediate"} | change, **cluster) == []


def test_an_in_tree_provisioner_is_known_to_place_volumes_by_zone() -> None:
    in_tree = storage_class("gp2", "kubernetes.io/aws-ebs", default=True, allowVolumeExpansion=True)
    (told,) = wrong(in_tree, **zonal("a", "b", key="topology.kubernetes.io/zone"))
    assert (told.code, told.facts["zones"]) == ("discovery.zones_bound_at_once", ["a", "b"])


@pytest.mark.parametrize("unread", ["csi_nodes", "nodes", "pods", "snapshot_classes", "capacities", "drivers"])
def test_what_could_not_be_listed_is_no_fault_of_a_class(unread: str) -> None:
    assert wrong(LOCAL, GOOD, **{unread: None}) == []


@pytest.mark.parametrize(
    ("provisioner", "running"),
    [
        ("openebs.io/local", pod("openebs-localpv-provisioner-7", image="x")),
        ("k8s.io/minikube-hostpath", pod("storage-provisioner", image="x")),
        ("cluster.local/nfs-subdir", pod("a", env=[{"name": "PROVISIONER_NAME", "value": "cluster.local/nfs-subdir"}])),
        ("nfs.csi.k8s.io", pod("a", args=["--drivername=nfs.csi.k8s.io"])),
    ],
)
def test_a_provisioner_is_known_by_its_pods(provisioner: str, running: Object) -> None:
    it = storage_class("it", provisioner, default=True, allowVolumeExpansion=True)
    others = [pod("coredns", image="local/coredns"), pod("nfs", image="x")]
    assert [each.runs for each in found(it, pods=[*others, running]).classes] == [True]
    assert [each.runs for each in found(it, pods=others).classes] == [False]


def test_the_default_class_is_tested_where_it_is_no_local_disk() -> None:
    default_local = LOCAL | {"metadata": {"name": "local", "annotations": {DEFAULTS[1]: "true"}}}
    other = storage_class("slow", CSI)
    assert found(default_local, other).candidate == "slow"
    assert found(storage_class("a", CSI), GOOD).candidate == "fast"
    nowhere = found(LOCAL, storage_class("away", "away.example.com", default=True))
    assert (nowhere.candidate, nowhere.baseline) == ("local", None)
    assert found(storage_class("away", "away.example.com")).candidate == "away"
    shared = storage_class("shared", "rancher.io/local-path", volumeBindingMode="Immediate")
    assert (found(default_local, shared).candidate, found(default_local, shared).baseline) == ("shared", "local")
    only = found(default_local)
    assert (only.candidate, only.baseline) == ("local", None)
    assert found(storage_class("by-hand", "")).candidate is None


class Forbidding:
    """An API server that refuses lists of some kinds."""

    def __init__(self, refused: dict[str, int]) -> None:
        self._refused = refused

    def group_versions(self, group: str) -> builtins.list[str]:
        return ["v1beta9", "v1beta1"]

    def list(self, resource: Resource, *, slim: Any = whole, fields: str = "") -> list[Object]:
        if status := self._refused.get(resource.plural):
            raise ApiError(status=status, request="GET", message="refused")
        if resource.plural != "pods":
            return []
        assert fields == "status.phase=Running"
        return [slim(pod("a", image="x", resources={}) | {"status": {"podIP": "10.0.0.1"}})]


def test_what_may_not_be_listed_is_told_and_the_rest_is_looked_at() -> None:
    look = look_at_storage(
        cast(Api, Forbidding({"csinodes": 403, "volumesnapshotclasses": 404, "volumegroupsnapshotclasses": 403}))
    )
    assert look.objects.keys() == {"classes", "nodes", "drivers", "capacities", "pods"}
    assert look.objects["pods"] == [pod("a", image="x")]
    assert look.unread == {
        "csi_nodes": "this account may not list them",
        "snapshot_classes": "this cluster has no such kind",
        "group_classes": "this account may not list them",
    }


def test_without_group_snapshots_nothing_is_said_of_them() -> None:
    api = Forbidding({})
    api.group_versions = lambda group: []  # type: ignore[method-assign]
    look = look_at_storage(cast(Api, api))
    assert look.objects["group_classes"] == [] and look.unread == {}
    groups = [{"driver": CSI}]
    assert [each.groups for each in found(LOCAL, GOOD, group_classes=groups).classes] == [True, False]


@pytest.mark.parametrize("refused", [{"storageclasses": 403}, {"pods": 500}])
def test_other_errors_are_not_hidden(refused: dict[str, int]) -> None:
    with pytest.raises(ApiError):
        look_at_storage(cast(Api, Forbidding(refused)))
