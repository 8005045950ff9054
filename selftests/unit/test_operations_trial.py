"""Control operations on a cluster in memory: all that is asked for is timed and taken away, and failures are told."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, PODS, SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, VOLUMES
from acceptance.cluster.workspace import Workspace
from acceptance.results.clusters import StorageClass
from acceptance.results.operations import OPERATIONS, OperationRecord, OperationsRecord
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.operations import observer
from acceptance.trials.operations.plan import COMMAND, OperationSettings
from acceptance.trials.operations.runner import OperationsRunner
from selftests.unit.played_operations import RUN, PlayedCluster, storage_class

AT_ONCE = 4
NAMES = {
    "restored": "operations-restored-fast-1-2",
    "clone": "operations-clone-fast-1-2",
    "snapshot": "operations-fast-1-2-snapshot-2",
    "of-one": "operations-fast-1-1-snapshot-of-one-2",
}
"""one of each kind, where it is no volume"""


@pytest.fixture
def operate(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs all operations of a class on a played cluster."""

    def run(
        cluster: PlayedCluster, of: StorageClass | None = None, *, count: int = AT_ONCE, **settings: Any
    ) -> OperationsRecord:
        monkeypatch.setattr(observer, "Watch", cluster.watched)
        workspace = Workspace(
            api=cast(Api, cluster), run_id=RUN, namespace="run", image="fio:1", timeout_s=settings.get("timeout_s", 5.0)
        )
        asked = {"at_once": AT_ONCE, "operations": frozenset(OPERATIONS), "timeout_s": 5.0} | settings
        kept: list[OperationsRecord] = []
        runner = OperationsRunner(
            workspace, settings=OperationSettings(count=count, **asked), say=lambda _: None, keep=kept.append
        )
        found = runner.record(of or storage_class())
        assert kept == [found] and runner.record(of or storage_class()) is found
        return found

    return run


def by_operation(record: OperationsRecord) -> dict[str, OperationRecord]:
    return {operation.operation: operation for operation in record.operations}


def left(cluster: PlayedCluster) -> list[str]:
    kinds = (CLAIMS, PODS, VOLUMES, VOLUME_SNAPSHOTS, SNAPSHOT_CONTENTS)
    return [each["metadata"]["name"] for kind in kinds for each in cluster.of(kind)]


@pytest.mark.parametrize("binding_mode", ["Immediate", "WaitForFirstConsumer"])
def test_all_operations_are_timed_and_nothing_is_left(operate: Any, binding_mode: str) -> None:
    cluster = PlayedCluster()
    record = operate(cluster, storage_class(binding_mode=binding_mode), count=2 * AT_ONCE)
    found = by_operation(record)
    assert set(found) == set(OPERATIONS) and record.missing == {}
    assert (record.rounds, record.at_once) == (2, AT_ONCE)
    # Volumes, restored volumes and clones are deleted; of all others there is one a volume.
    assert {name: each.asked for name, each in found.items()} == dict.fromkeys(OPERATIONS, 8) | {"delete": 24}
    assert all(each.failed == {} and len(each.seconds) == each.asked for each in found.values())
    assert left(cluster) == []
    volume = next(each for each in record.objects if each.kind == "volume" and each.round == 2)
    order = ("asked", "provisioned", "bound", "attaching", "attached", "mounted", "ready", "growth_asked", "gone")
    assert [volume.at_s[each] for each in order] == sorted(volume.at_s[each] for each in order)


def test_pods_of_a_class_that_waits_for_them_look_whose_the_volume_is(operate: Any) -> None:
    for binding_mode, guarded in (("Immediate", False), ("WaitForFirstConsumer", True)):
        cluster = PlayedCluster()
        operate(cluster, storage_class(binding_mode=binding_mode), operations=frozenset(["start"]))
        assert len(cluster.commands) == AT_ONCE
        assert {len(command) > len(COMMAND) for command in cluster.commands} == {guarded}


def test_only_what_is_asked_for_is_done(operate: Any) -> None:
    cluster = PlayedCluster()
    record = operate(cluster, operations=frozenset(["bind"]))
    assert set(by_operation(record)) == {"bind", "delete"}
    assert not [each for each in cluster.asked if "pods" in each or "snapshots" in each]


@pytest.mark.parametrize(
    ("what", "operation", "kind"),
    [
        ("bound", "bind", ""),
        ("ready", "start", ""),
        ("taken", "snapshot", "snapshot"),
        ("taken", "snapshots_of_one", "of-one"),
        ("bound", "restore", "restored"),
        ("bound", "clone", "clone"),
        ("expanded", "expand", ""),
        ("gone", "delete", ""),
    ],
)
def test_one_that_fails_is_counted_by_the_clusters_reason(operate: Any, what: str, operation: str, kind: str) -> None:
    """It ends the rounds, and all others are timed and taken away."""
    name = NAMES.get(kind, "operations-fast-1-2")
    record = operate(PlayedCluster(never={what: name}), count=2 * AT_ONCE, timeout_s=0.2)
    assert record.rounds == 1
    failed = {each.operation: each.failed for each in record.operations if each.failed}
    assert failed == {operation: {"ProvisioningFailed": 1}}
    found = by_operation(record)[operation]
    assert len(found.seconds) == found.asked - 1
    assert found.percentiles["p99"].seconds is None and found.percentiles["p99"].high is None
    (told,) = [each.failed for each in record.objects if each.failed]
    assert told == {operation: "ProvisioningFailed: no replica answers"}


def test_what_a_class_of_snapshots_would_keep_is_labelled_and_goes_all_the_same(operate: Any) -> None:
    cluster = PlayedCluster()
    operate(cluster, operations=frozenset(["snapshot"]))
    assert cluster.labelled == {
        f"content-operations-fast-1-{number}-snapshot-{number}" for number in range(1, AT_ONCE + 1)
    }
    assert left(cluster) == []


def test_a_volume_that_was_there_before_is_left_alone(operate: Any) -> None:
    cluster = PlayedCluster(foreign=True)
    with pytest.raises(EnvironmentFailure, match="was not provisioned for it: it existed already"):
        operate(cluster)
    assert not [each for each in cluster.asked if each.startswith("delete")]


def test_what_a_class_cannot_do_is_named_and_not_tried(operate: Any) -> None:
    cluster = PlayedCluster(csi=False)
    record = operate(
        cluster, storage_class(provisioner="other", allow_expansion=False, reclaim_policy="Retain"), timeout_s=0.2
    )
    assert set(record.missing) == {"snapshot", "restore", "snapshots_of_one", "clone", "expand", "delete", "attach"}
    assert set(by_operation(record)) == {"bind", "mount", "start"}
    assert "no VolumeSnapshotClass names driver other" in record.missing["restore"]
    assert "only CSI drivers can clone" in record.missing["clone"]
    assert not [each for each in cluster.asked if "snapshot" in each or "clone" in each]


def test_more_pods_than_nodes_hold_are_not_asked_for(operate: Any) -> None:
    cluster = PlayedCluster()
    with pytest.raises(EnvironmentFailure, match=r"hold 110 more pods .* but 200 at the same time were requested"):
        operate(cluster, at_once=200)
    assert cluster.asked == []
