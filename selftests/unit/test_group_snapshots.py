"""Group snapshots: what is asked for, what is waited for, what is put right where their controllers overlook it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster import group_snapshots
from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim, ask_for_claim
from acceptance.cluster.group_snapshots import (
    GROUP,
    GroupSnapshot,
    delete_group_snapshot,
    group_class_of,
    group_kinds,
    take_group_snapshot,
    undo_group_snapshot,
    wait_group_taken,
)
from acceptance.cluster.objects import GROUP_LABEL, RUN_LABEL, labels, run_namespace
from acceptance.cluster.resources import (
    CLAIMS,
    GROUP_CLASSES,
    GROUP_CONTENTS,
    GROUP_SNAPSHOTS,
    SNAPSHOT_CONTENTS,
    VOLUME_SNAPSHOTS,
    Object,
    Resource,
)
from acceptance.planning.site import Site, lacks_groups
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import StorageFailure, Unsupported
from selftests.unit.simulated_api import SimulatedApi

RUN_ID = "20261121-071502-4f3a9c0b1d2e7a65"
NAMESPACE = run_namespace(RUN_ID)
GROUP_OF_TWO = GroupSnapshot(name="both", namespace=NAMESPACE, group_class="fast", run_id=RUN_ID)
SERVED = {GROUP: ["v1beta2", "v1beta1"], VOLUME_SNAPSHOTS.group: ["v1"]}
FAST = StorageClass(
    name="fast",
    provisioner="csi.example.com",
    parameters={},
    binding_mode="Immediate",
    reclaim_policy="Delete",
    allow_expansion=True,
    default=False,
)


def claim(name: str) -> Claim:
    return Claim(name=name, namespace=NAMESPACE, storage_class="fast", size=1, run_id=RUN_ID, group="both")


CLAIMED = [claim("data"), claim("log")]


class Cluster(SimulatedApi):
    """Plays the controllers: a group that is deleted takes along its members and, where `heard`, what is behind it."""

    def __init__(self, served: dict[str, list[str]] = SERVED, *, heard: bool = True) -> None:
        super().__init__(served)
        self._heard = heard

    def api(self) -> Api:
        return cast(Api, self)

    def taken(self, *claims: str, policy: str = "Delete", ready: bool = True) -> None:
        """The group and a member of each of these claims, with what is behind them."""
        reference = {"namespace": NAMESPACE, "name": "both"}
        status = {"boundVolumeGroupSnapshotContentName": "content-both", "readyToUse": ready}
        meta = {"name": "both", "namespace": NAMESPACE, "uid": "1"}
        self.create(GROUP_SNAPSHOTS, {"metadata": meta, "status": status})
        spec = {
            "deletionPolicy": policy,
            "volumeGroupSnapshotRef": reference,
            "source": {"volumeHandles": list(claims)},
        }
        self.create(GROUP_CONTENTS, {"metadata": {"name": "content-both"}, "spec": spec})
        for each in claims:
            self.member(each, policy=policy, ready=ready)

    def member(self, of: str, *, policy: str, ready: bool) -> None:
        owner = {"kind": "VolumeGroupSnapshot", "name": "both", "uid": "1"}
        status = {"boundVolumeSnapshotContentName": f"content-{of}", "readyToUse": ready, "restoreSize": "1Gi"}
        member = {
            "metadata": {"name": f"member-{of}", "ownerReferences": [owner]},
            "spec": {"source": {"persistentVolumeClaimName": of}},
            "status": {**status, "volumeGroupSnapshotName": "both"},
        }
        self.create(VOLUME_SNAPSHOTS, member)
        reference = {"namespace": NAMESPACE, "name": f"member-{of}"}
        spec = {"deletionPolicy": policy, "volumeSnapshotRef": reference, "source": {"volumeHandle": of}}
        self.create(SNAPSHOT_CONTENTS, {"metadata": {"name": f"content-{of}"}, "spec": spec})

    def delete(self, resource: Resource, name: str, **_: Any) -> None:
        super().delete(resource, name)
        if resource.plural != GROUP_SNAPSHOTS.plural:
            return
        if self._heard:
            super().delete(GROUP_CONTENTS, "content-both")
        for each in self.list(VOLUME_SNAPSHOTS):
            super().delete(VOLUME_SNAPSHOTS, each["metadata"]["name"])
            if self._heard:
                super().delete(SNAPSHOT_CONTENTS, each["status"]["boundVolumeSnapshotContentName"])

    def left(self) -> list[str]:
        kinds = (GROUP_SNAPSHOTS, GROUP_CONTENTS, VOLUME_SNAPSHOTS, SNAPSHOT_CONTENTS)
        return [each["metadata"]["name"] for kind in kinds for each in self.list(kind)]


@pytest.fixture(autouse=True)
def no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_snapshots, "recent_events", lambda *_, **__: [])


def test_the_best_version_that_is_served_is_asked_for() -> None:
    kinds = group_kinds(Cluster({GROUP: ["v1alpha1", "v1beta1", "v1beta2"]}).api())
    assert kinds is not None
    assert kinds.contents.path(namespace=None) == f"/apis/{GROUP}/v1beta2/volumegroupsnapshotcontents"
    assert group_kinds(Cluster({GROUP: ["v1alpha1"]}).api()) is None


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Unsupported, match=r"serves no groupsnapshot\.storage\.k8s\.io \(v1, v1beta2, v1beta1\)"):
        group_class_of(Cluster({}).api(), FAST)
    cluster = Cluster()
    cluster.create(GROUP_CLASSES, {"metadata": {"name": "other"}, "driver": "csi.example.org"})
    with pytest.raises(Unsupported, match=r"no VolumeGroupSnapshotClass names driver csi\.example\.com, the prov"):
        group_class_of(cluster.api(), FAST)


def test_the_default_class_of_the_driver_is_used() -> None:
    cluster = Cluster()
    default = {"groupsnapshot.storage.kubernetes.io/is-default-class": "true"}
    for name, marks in (("first", {}), ("default", default)):
        meta = {"name": name, "annotations": marks}
        cluster.create(GROUP_CLASSES, {"metadata": meta, "driver": "csi.example.com"})
    assert group_class_of(cluster.api(), FAST) == "default"


def test_only_the_claims_that_carry_its_name_are_selected() -> None:
    cluster = Cluster()
    for each in CLAIMED:
        ask_for_claim(cluster.api(), each)
    other = Claim(name="other", namespace=NAMESPACE, storage_class="fast", size=1, run_id=RUN_ID)
    ask_for_claim(cluster.api(), other)
    take_group_snapshot(cluster.api(), GROUP_OF_TWO)
    asked = cluster.get(GROUP_SNAPSHOTS, "both")
    (label,) = asked["spec"]["source"]["selector"]["matchLabels"].items()
    assert label == (GROUP_LABEL, "both")
    found = cluster.list(CLAIMS, labels="=".join(label))
    assert [each["metadata"]["name"] for each in found] == ["data", "log"]
    assert asked["metadata"]["labels"] == labels(RUN_ID) and asked["apiVersion"] == f"{GROUP}/v1beta2"
    assert all(each["metadata"]["labels"][RUN_LABEL] == RUN_ID for each in cluster.list(CLAIMS))
    assert cluster.get(CLAIMS, "other")["metadata"]["labels"] == labels(RUN_ID)


def test_members_come_in_the_order_of_the_claims_and_go_whatever_their_class_says() -> None:
    cluster = Cluster()
    cluster.taken("log", "data", policy="Retain")
    found = wait_group_taken(cluster.api(), GROUP_OF_TWO, claims=CLAIMED, timeout_s=1)
    assert [(each.name, each.claim) for each in found] == [("member-data", "data"), ("member-log", "log")]
    assert found[0].restorable.size == 1024**3
    for kind in (GROUP_CONTENTS, SNAPSHOT_CONTENTS):
        for each in cluster.list(kind):
            assert each["spec"]["deletionPolicy"] == "Delete" and each["metadata"]["labels"] == labels(RUN_ID)


@pytest.mark.parametrize(
    ("claims", "ready", "said"),
    [
        ((), True, "readyToUse true; no members"),
        (("data",), True, "readyToUse true; data readyToUse true"),
        (("data", "log"), False, "readyToUse false; data readyToUse false; log readyToUse false"),
    ],
)
def test_a_group_that_is_not_whole_is_told_by_its_members(claims: tuple[str, ...], ready: bool, said: str) -> None:
    cluster = Cluster()
    cluster.taken(*claims, ready=ready)
    with pytest.raises(StorageFailure, match=f"both of class fast, and its 2 members, .*last state: {said}"):
        wait_group_taken(cluster.api(), GROUP_OF_TWO, claims=CLAIMED, timeout_s=0.01)


def test_a_member_of_a_claim_that_does_not_carry_the_name_fails_at_once() -> None:
    cluster = Cluster()
    cluster.taken("data", "log", "other", ready=False)
    with pytest.raises(StorageFailure, match="found a member of other too: its controllers ignore the label"):
        wait_group_taken(cluster.api(), GROUP_OF_TWO, claims=CLAIMED, timeout_s=60)


def test_all_goes_with_the_group() -> None:
    cluster = Cluster()
    cluster.taken("data", "log", policy="Retain")
    delete_group_snapshot(cluster.api(), GROUP_OF_TWO, timeout_s=1)
    assert cluster.left() == []
    deleted = [each for each in cluster.changed if each.startswith("delete volume")]
    assert deleted[0] == "delete volumegroupsnapshots both"
    assert sum("'deletionPolicy': 'Delete'" in each for each in cluster.changed) == 3


def test_what_stays_of_a_group_that_was_taken_is_the_storages_fault() -> None:
    cluster = Cluster(heard=False)
    cluster.taken("data")
    with pytest.raises(StorageFailure, match=r"and their contents to be deleted; last state: content-.* \(finalizers"):
        delete_group_snapshot(cluster.api(), GROUP_OF_TWO, timeout_s=0.01)


def test_what_the_controllers_overlook_of_a_group_that_is_undone_is_deleted() -> None:
    """Of its own content csi-snapshotter takes notice only by the annotation that the snapshot controller gives it."""
    cluster = Cluster(heard=False)
    cluster.taken("data", "log", policy="Retain")
    undo_group_snapshot(cluster.api(), GROUP_OF_TWO, timeout_s=5)
    assert cluster.left() == []
    given_up = [each for each in cluster.changed if "volumegroupsnapshot-being-deleted" in each]
    assert len(given_up) == 1 and given_up[0].startswith("volumegroupsnapshotcontents content-both")


def test_a_group_is_not_deleted_before_its_controllers_have_named_what_belongs_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The snapshot controller (8.3.0) would leave the content, and keep members that do not know whose they are."""
    cluster = Cluster()
    meta = {"name": "both", "namespace": NAMESPACE, "uid": "1"}
    cluster.create(GROUP_SNAPSHOTS, {"metadata": meta})
    looks: list[int] = []
    found = SimulatedApi.find

    def find(self: SimulatedApi, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        if resource.plural == GROUP_SNAPSHOTS.plural:
            looks.append(1)
            if len(looks) == 3:
                cluster.taken("data", "log")
        return found(self, resource, name)

    monkeypatch.setattr(SimulatedApi, "find", find)
    undo_group_snapshot(cluster.api(), GROUP_OF_TWO, timeout_s=5)
    assert cluster.left() == [] and "delete volumegroupsnapshotcontents content-both" in cluster.changed


@pytest.mark.parametrize(
    ("members", "unknown", "refused", "settled"),
    [
        (("data", "log"), (), False, True),
        (("data",), (), False, False),  # the other one is still to come
        (("data", "log"), ("log",), False, False),
        ((), (), False, False),
        ((), (), True, True),
    ],
)
def test_a_group_has_settled_when_all_its_members_know_whose_they_are(
    members: tuple[str, ...], unknown: tuple[str, ...], refused: bool, settled: bool
) -> None:
    cluster = Cluster()
    cluster.taken("data", "log", ready=False)
    for name in {"data", "log"} - set(members):
        SimulatedApi.delete(cluster, VOLUME_SNAPSHOTS, f"member-{name}")
    for name in unknown:
        cluster.patch(VOLUME_SNAPSHOTS, f"member-{name}", {"status": {"volumeGroupSnapshotName": None}})
    if refused:
        cluster.patch(GROUP_SNAPSHOTS, "both", {"status": {"error": {"message": "no room"}}})
    kinds = group_kinds(cluster.api())
    assert kinds is not None
    whole, there = cluster.get(GROUP_SNAPSHOTS, "both"), cluster.list(VOLUME_SNAPSHOTS)
    assert group_snapshots._has_settled(cluster.api(), kinds, whole, there) == settled


def test_one_that_never_settles_is_deleted_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_snapshots, "SETTLE_S", 0.01)
    cluster = Cluster()
    cluster.create(GROUP_SNAPSHOTS, {"metadata": {"name": "both", "namespace": NAMESPACE, "uid": "1"}})
    undo_group_snapshot(cluster.api(), GROUP_OF_TWO, timeout_s=5)
    assert cluster.left() == []


def test_a_cluster_without_groups_is_a_skip_that_is_foreseen() -> None:
    assert lacks_groups(Site(groups=None)) is None and lacks_groups(Site(groups=True)) is None
    assert lacks_groups(Site(groups=False)) == (
        "capability 'group snapshot': the cluster serves no groupsnapshot.storage.k8s.io"
    )
