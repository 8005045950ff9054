"""Volumes and the pods that have them, through the suite's own command line: seen on storage that gets it right, and a
fail on storage that does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import CLAIMS, NODES
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.capability_tests import capabilities_of
from selftests.integration.suite import SuiteRun, finish, left_behind, own, run_suite, started_suite
from selftests.lab.csi_classes import (
    GROUP_BY_DRIVER,
    attributes_classes,
    class_of,
    class_of_a_node,
    fault_of_all,
    faulty_classes,
)
from selftests.lab.finalizers import stripped_claims
from selftests.lab.node_limits import limited_node
from selftests.lab.provisioner import LabClass, lab_classes

FILES = ("tests/test_access_modes.py", "tests/test_volumes_in_use.py", "tests/test_volumes_on_a_node.py")
SEEN = capabilities_of(*FILES) - {"node-limit", "topology"}
FAULTS = {
    ("first-pod-alone", "read_write_once_pod_volume_refuses_a_second_pod"): "to end; last state: phase Pending",
    ("mount-options-ignored", "mount_options"): "mounted with noatime; last state: /proc/mounts shows xfs rw,relatime",
    ("wrong-statistics", "kubelet_reports_volume_stats"): "the kubelet reports: capacity ",
    ("nodes-apart", "nodes_share_a_read_only_many_volume"): "does not show the file on",
    ("nodes-apart", "raw_block"): "data that the other node wrote does not appear on",
    ("nodes-apart", "pod_mounts_a_sub_path"): "does not appear in a new pod on",
    (
        "nodes-apart",
        "volumes_keep_their_data_when_moved_between_nodes",
    ): "after move 1 of 6 between nodes, 2 of 3 volumes",
    ("taken-for-another", "volumes_keep_their_data_when_moved_between_nodes"): "held the data of ",
    ("never-modified", "attributes"): "to have VolumeAttributesClass",
    ("data-lost-at-unpublish", "pod_mounts_a_sub_path"): "expected mark, found nothing",
}
"""Faults of the driver, each with a part of the name of the test that finds it; and what that says."""
ATTRIBUTES = {"attributes-a": {"iops": "500"}, "attributes-b": {"label": "silver"}, "attributes-c": {"label": "gold"}}
"""Of classes of attributes: the driver knows no iops, and says so."""
STAYS, FEWER = "lab-stays", "node-takes-fewer"
MOST = 5
LIMITED = 3
"""the number of the node that says how many volumes it takes"""

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def good(cluster: EmbeddedCluster, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything, and what a class of one node's lacks."""
    options = ["--storage-class", CLASS, "--storage-class", "local-path"]
    lacks = "raw_block or mount_options or policy"
    select = f"(csi-lab and not as_many and not allowed_topologies) or (local-path and ({lacks}))"
    reports = tmp_path_factory.mktemp("pods") / "reports"
    with attributes_classes(api, ATTRIBUTES):
        return run_suite(*FILES, *options, "-k", select, reports=reports)


@pytest.fixture(scope="module")
def wrong(cluster: EmbeddedCluster, api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteRun]:
    """Each fault of the driver on its class."""
    faults = sorted({fault for fault, _ in FAULTS})
    classes = [f"--storage-class={class_of(fault)}" for fault in faults]
    select = " or ".join(f"({part} and {class_of(fault)})" for fault, part in FAULTS)
    reports = tmp_path_factory.mktemp("wrong") / "reports"
    with faulty_classes(api, faults), attributes_classes(api, ATTRIBUTES):
        yield run_suite(*FILES, *classes, "-k", select, "--storage-timeout=40s", reports=reports)
    assert left_behind(api) == []


def found_on(storage_class: str, run: SuiteRun) -> dict[str, tuple[str, str]]:
    """The status of each capability of one class, and how it was found."""
    records = [capability for capability in run.results["capabilities"] if capability["storage_class"] == storage_class]
    return {record["capability"]: (record["status"], record["how"]) for record in records}


def test_all_is_seen_on_storage_that_can_do_it(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    found = found_on(CLASS, good)
    assert {name: status for name, (status, _) in found.items()} == dict.fromkeys(SEEN, "seen")
    assert "of its PV, then of its PVC" in found["protection"][1]
    assert "attributes-b, then csi-lab" in found["volume-attributes-class"][1]


def test_what_a_class_lacks_is_named(good: SuiteRun) -> None:
    found = found_on("local-path", good)
    assert {status for status, _ in found.values()} == {"missing"}
    assert "of kind hostPath" in found["mount-options"][1] and "of kind hostPath" in found["fs-group-change-policy"][1]


@pytest.mark.parametrize(("fault", "part"), FAULTS)
def test_what_is_wrong_fails_for_that_reason(fault: str, part: str, wrong: SuiteRun) -> None:
    (verdict,) = [
        each for each in wrong.results["verdicts"] if part in each["test"] and each["storage_class"] == class_of(fault)
    ]
    assert verdict["status"] == "fail" and FAULTS[fault, part] in verdict["reason"], verdict["reason"]


def test_a_driver_that_forgets_the_group_breaks_the_policy(cluster: EmbeddedCluster, api: Api, reports: Path) -> None:
    with faulty_classes(api, ["group-ignored"]), fault_of_all(cluster.name, GROUP_BY_DRIVER):
        of_it = ("--storage-class", class_of("group-ignored"))
        found = run_suite(*FILES, *of_it, "-k", "fs_group_change_policy_is_followed", reports=reports)
    verdict = found.verdict("fs_group_change_policy_is_followed")
    assert verdict["status"] == "fail" and "pod 1 on a volume" in verdict["reason"], verdict["reason"]


def test_a_volume_that_stays_when_its_pod_is_gone_fails(api: Api, lab_folder: Path, reports: Path) -> None:
    with lab_classes(api, [LabClass(name=STAYS, folder=lab_folder, never_deletes=True)]):
        options = [f"--storage-class={STAYS}", "--storage-timeout=20s", "-k", "ephemeral"]
        found = run_suite(*FILES, *options, reports=reports)
    verdict = found.verdict("ephemeral")
    assert verdict["status"] == "fail" and " to be deleted; last state: phase Released" in verdict["reason"]


def test_a_claim_whose_protection_is_taken_away_fails(cluster: EmbeddedCluster, api: Api, reports: Path) -> None:
    """It goes while its pod runs, and the volume after it."""
    with (
        stripped_claims(api, lambda: own(api, CLAIMS)),
        started_suite(*FILES, "--storage-class", CLASS, "-k", "survives_deletion", reports=reports) as process,
    ):
        found = finish(process, reports=reports)
    verdict = found.verdict("survives_deletion")
    assert verdict["status"] == "fail" and "was deleted while a pod used its volume" in verdict["reason"]
    assert left_behind(api) == []


def test_a_node_is_filled_to_its_limit(cluster: EmbeddedCluster, api: Api, reports: Path) -> None:
    with limited_node(api, cluster.name, number=LIMITED, most=MOST) as node:
        options = [f"--storage-class={CLASS}", f"--storage-node={node}", f"--storage-node-volumes={MOST}"]
        found = run_suite(*FILES, *options, "--storage-timeout=60s", "-k", "as_many", reports=reports)
    verdict = found.verdict("as_many")
    assert verdict["status"] == "pass", verdict["reason"]
    (record,) = found.results["capabilities"]
    assert "one more volume waited" in record["how"] and "exceed max volume count" in record["how"]


def test_a_node_that_takes_fewer_than_it_says_fails(cluster: EmbeddedCluster, api: Api, reports: Path) -> None:
    with faulty_classes(api, [FEWER]), limited_node(api, cluster.name, number=LIMITED, most=MOST) as node:
        options = [f"--storage-class={class_of(FEWER)}", f"--storage-node={node}", f"--storage-node-volumes={MOST}"]
        found = run_suite(*FILES, *options, "--storage-timeout=60s", "-k", "as_many", reports=reports)
        assert left_behind(api) == []
    verdict = found.verdict("as_many")
    assert verdict["status"] == "fail", verdict["reason"]
    assert f"allows {MOST} volumes on {node}, but a pod with the remaining {MOST} does not start" in verdict["reason"]
    assert f"{node} has {MOST - 1} volumes and takes no more" in verdict["reason"]


def test_a_class_of_one_node_has_its_volumes_there(api: Api, reports: Path) -> None:
    """A volume is made once the scheduler has a node for its pod: one that the class allows."""
    node = name_of(api.list(NODES)[1])
    with class_of_a_node(api, node, binding="WaitForFirstConsumer") as name:
        found = run_suite(
            *FILES, f"--storage-class={name}", "-k", "volumes_are_placed_in_the_allowed_topologies", reports=reports
        )
    assert found.status == 0, found.output
    (record,) = found.results["capabilities"]
    assert f"allow {node}: a pod with a volume ran on {node}, and a pod that had to run on " in record["how"]
    assert "didn't find available persistent volumes to bind" in record["how"]


def test_a_driver_that_ignores_topologies_fails(api: Api, reports: Path) -> None:
    """The lab's driver knows none, and makes volumes before there is a pod: they can be used anywhere."""
    node = name_of(api.list(NODES)[1])
    with class_of_a_node(api, node, binding="Immediate") as name:
        found = run_suite(
            *FILES, f"--storage-class={name}", "-k", "volumes_are_placed_in_the_allowed_topologies", reports=reports
        )
        assert left_behind(api) == []
    verdict = found.verdict("volumes_are_placed_in_the_allowed_topologies")
    assert verdict["status"] == "fail" and f"StorageClass {name} allow {node}, but a pod " in verdict["reason"]
